/// Decides when a case child must stop, and the next step of stopping it. Pure: time comes in, a step comes out.
///
/// A child that is not forked in time is its host's fault, and the host is ended. One that was forked has a deadline;
/// past it, or when somebody else wants it stopped, it gets SIGINT, SIGTERM and SIGKILL half a second apart, and when
/// its host does not report its end even then, the host is ended. One that cleans up after SIGTERM has time for that
/// before SIGKILL. What it waits for a processor may move its deadline. The first reason counts.
#pragma once

#include <optional>
#include <string>

#include "process/process.h"
#include "session/outcome.h"

namespace tally {

class StopLadder {
 public:
  enum class Step { interrupt, terminate, kill, end_host };
  struct Reason {
    Ending ending = Ending::failed;
    std::string message;
  };

  static constexpr Milliseconds kBetweenSignals{500};
  static constexpr Milliseconds kForItsHostToReport{5000};  ///< After SIGKILL.

  /// `for_cleanup`: so long it may clean up; 0: it does not.
  StopLadder(Clock::time_point now, Milliseconds fork_within, Milliseconds end_within,
             Milliseconds for_cleanup = Milliseconds(0));

  /// The child was forked.
  void forked() { fork_deadline_ = Clock::time_point::max(); }

  /// It has waited so much longer for a processor: its deadline comes later by that, in all by `limit` at the most.
  void waited(Milliseconds time, Milliseconds limit);

  /// It must stop now, beginning politely.
  void stop(Clock::time_point now, Reason reason);
  /// It must stop now, and a polite signal would only be time to do more. One that cleans up gets SIGTERM for that.
  void kill(Clock::time_point now, Reason reason);
  /// Its host is to end, and it with it: nothing more is to be done about the child itself.
  void give_up(Reason reason);

  /// The step that is due; at most one for each moment at which next() was passed.
  std::optional<Step> due(Clock::time_point now);
  /// When the next step is due, if nothing else happens; max() when none is.
  [[nodiscard]] Clock::time_point next() const { return std::min(step_at_, fork_deadline_); }

  [[nodiscard]] const std::optional<Reason>& reason() const { return reason_; }
  [[nodiscard]] bool waits_for_cleanup() const { return for_cleanup_ > Milliseconds(0); }

 private:
  void because(Reason reason);
  [[nodiscard]] std::string timeout_text() const;

  Milliseconds fork_within_;
  Milliseconds end_within_;
  Milliseconds for_cleanup_;
  Milliseconds waited_{0};
  Clock::time_point fork_deadline_;
  Clock::time_point step_at_;
  Step step_ = Step::interrupt;
  std::optional<Reason> reason_;
};

}  // namespace tally
