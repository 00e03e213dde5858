/// Events from the thread that finds them to one that reads their fields.
///
/// Owns: a few buffers of text that go round between the two, each with the slices that were found in it, in order. The
/// first thread has a first look at each event and hands on those that are not irrelevant; the collector gets the rest
/// in the same order as it would from the splitter itself, so the answer is the same. It is the second thread's until
/// finish(), but for its first looks.
#pragma once

#include <array>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "trace/collector.h"

namespace tally::trace {

class Relay final : public EventSink {
 public:
  explicit Relay(Collector& collector);
  ~Relay() override;
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  /// The next buffer, begun with `carried` (the end of the last one) and with room for at least as much again; waits
  /// until the second thread is done with it.
  std::vector<char>& next(std::string_view carried);
  /// Hands over the present buffer and what was found in it.
  void pass();
  /// Returns when the collector has had everything. Called once, before its data is looked at.
  void finish();

  void event(const Slice& slice) override;
  void foreign(std::string_view key, std::string_view text) override;
  [[nodiscard]] bool wants(std::string_view key) const override { return collector_.wants(key); }

 private:
  struct Found {
    std::string_view text;
    const char* after_category;
    std::uint32_t nested;  ///< Number of its first in `nested`.
    std::int32_t key;      ///< Of a foreign object: number in `keys`; below 0: an event.
    std::uint8_t nested_count;
    Category category;
  };
  struct Batch {
    std::vector<char> bytes;
    std::vector<Found> found;
    std::vector<Nested> nested;
    std::vector<std::string> keys;
    bool full = false;
  };

  void work();

  Collector& collector_;
  std::array<Batch, 4> batches_;
  std::size_t fill_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool last_ = false;
  std::thread thread_;
};

}  // namespace tally::trace
