/// The queue of requested runs: whose they are, and which is next. Pure.
///
/// In the order of asking. One runs at a time; the others are notified how many go first, whenever this changes.
#pragma once

#include <deque>
#include <functional>
#include <optional>

#include "json/value.h"
#include "serve/clients.h"
#include "serve/request.h"

namespace tally::serve {

struct Work {
  ClientId client{};
  json::Value id;
  MeasureRequest request;
  std::size_t ahead = 0;  ///< As its client was last notified.
};

class WorkQueue {
 public:
  using Notify = std::function<void(const Work& work, std::size_t ahead)>;

  /// `notify` is called for each that has to wait, whenever the number ahead of it changes.
  explicit WorkQueue(Notify notify) : notify_(std::move(notify)) {}

  void add(Work work);
  /// The next one runs from now on; nothing when there is none.
  std::optional<Work> take();
  /// What was taken has ended.
  void ended() { running_ = false; }

  [[nodiscard]] bool has(ClientId client, const json::Value& id) const;
  [[nodiscard]] bool has_any(ClientId client) const;
  /// Takes one out that has not begun; whether it was there.
  bool remove(ClientId client, const json::Value& id);
  void remove_all(ClientId client);

  [[nodiscard]] bool empty() const { return waiting_.empty(); }
  [[nodiscard]] std::size_t size() const { return waiting_.size(); }
  [[nodiscard]] const std::deque<Work>& waiting() const { return waiting_; }

 private:
  /// Those from the `first` on have moved up.
  void notify_from(std::size_t first);

  Notify notify_;
  std::deque<Work> waiting_;
  bool running_ = false;
};

}  // namespace tally::serve
