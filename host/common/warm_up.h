/// How many executions come before a phase is measured, and in which parts.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tally::host {

class WarmUp {
 public:
  explicit WarmUp(std::uint64_t executions) : executions_(executions) {}

  void set(std::uint64_t executions) { executions_ = executions; }
  [[nodiscard]] std::uint64_t executions() const { return executions_; }

  /// A phase begins, of whose warm-up so many executions are done, or to be left out.
  void begin(std::uint64_t done) {
    done_ = std::min(done, executions_);
    parts_ = 0;
  }

  struct Part {
    std::uint64_t executions = 0;  ///< 0: it is over.
    bool settles = false;          ///< First, the allocator is brought into a state of its own.
    bool again = false;            ///< Likewise, for the second time.
  };
  /// Where something is to be settled, that is done after one half, when what is done once is done, and again one
  /// execution later, which made a new result and freed the last one made before.
  Part next(bool settles) {
    if (executions_ == 0) return {};
    const int part = parts_++;
    if (!settles) return {.executions = part == 0 ? executions_ - done_ : 0};
    const std::uint64_t half = (executions_ + 1) / 2;
    return {.executions = part == 1 ? 1 : part < 3 ? half : 0, .settles = part == 1 || part == 2, .again = part == 2};
  }

 private:
  std::uint64_t executions_;
  std::uint64_t done_ = 0;
  int parts_ = 0;  ///< Of this phase's, begun so far.
};

}  // namespace tally::host
