#include "session/stop_ladder.h"

#include <fmt/format.h>

#include <algorithm>

namespace tally {

namespace {

double seconds(Milliseconds time) { return static_cast<double>(time.count()) / 1000; }

}  // namespace

StopLadder::StopLadder(Clock::time_point now, Milliseconds fork_within, Milliseconds end_within,
                       Milliseconds for_cleanup)
    : fork_within_(fork_within),
      end_within_(end_within),
      for_cleanup_(for_cleanup),
      fork_deadline_(now + fork_within),
      step_at_(now + end_within) {}

void StopLadder::because(Reason reason) {
  if (!reason_) reason_ = std::move(reason);
}

void StopLadder::waited(Milliseconds time, Milliseconds limit) {
  if (reason_) return;
  const Milliseconds more = std::min(time, limit - waited_);
  waited_ += more;
  step_at_ += more;
}

std::string StopLadder::timeout_text() const {
  std::string text = fmt::format("timed out after {} s", seconds(end_within_));
  if (waited_ > Milliseconds(0)) text += fmt::format(" and {} s of waiting for a processor", seconds(waited_));
  return text;
}

void StopLadder::stop(Clock::time_point now, Reason reason) {
  if (reason_) return;
  because(std::move(reason));
  step_at_ = now;
}

void StopLadder::kill(Clock::time_point now, Reason reason) {
  because(std::move(reason));
  const Step first = waits_for_cleanup() ? Step::terminate : Step::kill;
  if (step_ >= first) return;
  step_ = first;
  step_at_ = now;
}

void StopLadder::give_up(Reason reason) {
  because(std::move(reason));
  step_at_ = fork_deadline_ = Clock::time_point::max();
}

std::optional<StopLadder::Step> StopLadder::due(Clock::time_point now) {
  if (now >= fork_deadline_) {
    give_up({Ending::host_lost, fmt::format("the host did not answer within {} s", seconds(fork_within_))});
    return Step::end_host;
  }
  if (now < step_at_) return std::nullopt;
  because({Ending::timed_out, timeout_text()});
  const Step step = step_;
  switch (step) {
    case Step::interrupt:
      step_ = Step::terminate;
      step_at_ = now + kBetweenSignals;
      break;
    case Step::terminate:
      step_ = Step::kill;
      step_at_ = now + kBetweenSignals + for_cleanup_;
      break;
    case Step::kill:
      step_ = Step::end_host;
      step_at_ = now + kForItsHostToReport;
      break;
    case Step::end_host:
      step_at_ = Clock::time_point::max();
      break;
  }
  return step;
}

}  // namespace tally
