/// What a process wrote to one stream: its beginning and its end, in bounded memory however much there was.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tally {

struct CapturedOutput {
  std::string head;           ///< The first bytes; everything when nothing was dropped.
  std::string tail;           ///< The last bytes; empty when nothing was dropped.
  std::uint64_t dropped = 0;  ///< Bytes between the two that were thrown away.

  /// Head and tail with a line between them that says how much is missing.
  [[nodiscard]] std::string text() const;
  bool operator==(const CapturedOutput&) const = default;
};

/// Collects into at most `limit` bytes: half for the head, half for the tail.
class BoundedOutput {
 public:
  explicit BoundedOutput(std::size_t limit) : head_limit_((limit + 1) / 2), tail_limit_(limit / 2) {}

  void append(std::string_view bytes);
  [[nodiscard]] CapturedOutput take();

 private:
  std::size_t head_limit_;
  std::size_t tail_limit_;
  std::string head_;
  std::string tail_;  ///< Grows to twice its limit before it is cut, so that a flood costs one copy a byte.
  std::uint64_t dropped_ = 0;
};

}  // namespace tally
