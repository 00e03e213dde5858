/// Events from the thread that finds them to one that reads their fields.
///
/// Owns: a few buffers of text that go round between the two, each with the slices that were found in it, in order. The
/// sink gets the same calls in the same order as it would from the splitter itself, so the answer is the same; it is
/// called from the second thread only, until finish().
#pragma once

#include <array>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "trace/splitter.h"

namespace tally::trace {

class Relay final : public EventSink {
 public:
  explicit Relay(EventSink& sink);
  ~Relay() override;
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  /// The next buffer, begun with `carried` (the end of the last one) and with room for at least as much again; waits
  /// until the second thread is done with it.
  std::vector<char>& next(std::string_view carried);
  /// Hands over the present buffer and what was found in it.
  void pass();
  /// Returns when the sink has had everything. Called once, before the sink is looked at.
  void finish();

  void event(const Slice& slice) override;
  void foreign(std::string_view key, std::string_view text) override;
  [[nodiscard]] bool wants(std::string_view key) const override { return sink_.wants(key); }

 private:
  struct Found {
    std::string_view text;
    Nested nested[4];
    int nested_count;
    int key;  ///< Of a foreign object: number in `keys`; below 0: an event.
  };
  struct Batch {
    std::vector<char> bytes;
    std::vector<Found> found;
    std::vector<std::string> keys;
    bool full = false;
  };

  void work();

  EventSink& sink_;
  std::array<Batch, 4> batches_;
  std::size_t fill_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool last_ = false;
  std::thread thread_;
};

}  // namespace tally::trace
