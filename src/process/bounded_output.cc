#include "process/bounded_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tally {

std::string CapturedOutput::text() const {
  if (dropped == 0) return head + tail;
  return fmt::format("{}\n[... {} bytes left out ...]\n{}", head, dropped, tail);
}

void BoundedOutput::append(std::string_view bytes) {
  const std::size_t for_head = std::min(bytes.size(), head_limit_ - head_.size());
  head_.append(bytes.substr(0, for_head));
  bytes.remove_prefix(for_head);
  if (bytes.size() > tail_limit_) {
    dropped_ += tail_.size() + bytes.size() - tail_limit_;
    tail_.assign(bytes.substr(bytes.size() - tail_limit_));
    return;
  }
  tail_.append(bytes);
  if (tail_.size() <= 2 * tail_limit_) return;
  dropped_ += tail_.size() - tail_limit_;
  tail_.erase(0, tail_.size() - tail_limit_);
}

CapturedOutput BoundedOutput::take() {
  if (tail_.size() > tail_limit_) {
    dropped_ += tail_.size() - tail_limit_;
    tail_.erase(0, tail_.size() - tail_limit_);
  }
  if (dropped_ == 0) head_ += std::exchange(tail_, {});
  return {std::exchange(head_, {}), std::exchange(tail_, {}), std::exchange(dropped_, 0)};
}

}  // namespace tally
