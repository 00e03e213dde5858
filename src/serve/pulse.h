/// Whether a server lives that sends nothing: after a silence its status is requested, and it has a while to answer.
///
/// What counts is the time since it was asked: a client that was itself stopped for an hour finds a silent server that
/// is well. Pure; the time is an argument.
#pragma once

#include <optional>

#include "process/process.h"

namespace tally::serve {

class Pulse {
 public:
  static constexpr Milliseconds kSilence{60'000};
  static constexpr Milliseconds kToAnswer{30'000};

  enum class State { well, to_be_asked, lost };

  explicit Pulse(Clock::time_point now) : last_(now) {}
  void on_event(Clock::time_point now) {
    last_ = now;
    asked_.reset();
  }
  /// Where it is to be asked, that is done by the caller, once.
  State feel(Clock::time_point now) {
    if (asked_) return now - *asked_ >= kToAnswer ? State::lost : State::well;
    if (now - last_ < kSilence) return State::well;
    asked_ = now;
    return State::to_be_asked;
  }
  [[nodiscard]] Clock::duration silent(Clock::time_point now) const { return now - last_; }

 private:
  Clock::time_point last_;
  std::optional<Clock::time_point> asked_;
};

}  // namespace tally::serve
