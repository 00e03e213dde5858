/// A run that its user has interrupted: what runs may finish for a moment, is stopped then, and given up at last.
/// Pure: signals and the time are arguments.
#pragma once

#include <algorithm>

#include "process/process.h"

namespace tally {

class Interruption {
 public:
  /// `before`: how many the runner had seen when the run began. They were for others.
  explicit Interruption(int before) : before_(before) {}

  /// `seen`: how many the runner has seen by now.
  void note(int seen, Clock::time_point now) {
    if (times_ == 0) first_ = now;
    times_ = std::max(times_ + 1, seen - before_);
  }

  [[nodiscard]] bool begun() const { return times_ > 0; }
  /// The user has asked again.
  [[nodiscard]] bool is_urgent() const { return times_ > 1; }
  /// What still runs is to be killed.
  [[nodiscard]] bool kills(Clock::time_point now) const { return begun() && now >= first_ + kFinish; }
  /// Nothing more is waited for.
  [[nodiscard]] bool gives_up(Clock::time_point now) const { return begun() && now >= first_ + kGiveUp; }

 private:
  // Five seconds from Ctrl-C to the prompt: what runs may finish in three, and the record has to be written after that.
  static constexpr Milliseconds kFinish{3000};
  static constexpr Milliseconds kGiveUp{3700};

  int before_;
  int times_ = 0;
  Clock::time_point first_{};
};

}  // namespace tally
