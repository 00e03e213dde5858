#include "serve/work_queue.h"

#include <algorithm>

namespace tally::serve {

void WorkQueue::add(Work work) {
  waiting_.push_back(std::move(work));
  notify_from(waiting_.size() - 1);
}

std::optional<Work> WorkQueue::take() {
  if (waiting_.empty()) return std::nullopt;
  Work next = std::move(waiting_.front());
  waiting_.pop_front();
  // Where one ran before it, there is one less ahead of those behind.
  running_ = true;
  notify_from(0);
  return next;
}

bool WorkQueue::has(ClientId client, const json::Value& id) const {
  return std::ranges::any_of(waiting_, [&](const Work& work) { return work.client == client && work.id == id; });
}

bool WorkQueue::has_any(ClientId client) const {
  return std::ranges::any_of(waiting_, [&](const Work& work) { return work.client == client; });
}

bool WorkQueue::remove(ClientId client, const json::Value& id) {
  const auto found =
      std::ranges::find_if(waiting_, [&](const Work& work) { return work.client == client && work.id == id; });
  if (found == waiting_.end()) return false;
  const auto behind = static_cast<std::size_t>(found - waiting_.begin());
  waiting_.erase(found);
  notify_from(behind);
  return true;
}

void WorkQueue::remove_all(ClientId client) {
  const auto first = std::ranges::find(waiting_, client, &Work::client);
  const auto behind = static_cast<std::size_t>(first - waiting_.begin());
  if (std::erase_if(waiting_, [&](const Work& work) { return work.client == client; }) > 0) notify_from(behind);
}

void WorkQueue::notify_from(std::size_t first) {
  for (std::size_t i = first; i < waiting_.size(); ++i) {
    const std::size_t ahead = i + (running_ ? 1 : 0);
    // Before a turn begins, with nothing ahead, there is nothing to wait for.
    if (std::exchange(waiting_[i].ahead, ahead) != ahead && ahead > 0) notify_(waiting_[i], ahead);
  }
}

}  // namespace tally::serve
