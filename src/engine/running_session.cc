#include "engine/running_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

namespace tally {

namespace {

constexpr Milliseconds kToCleanUp{60'000};
constexpr Milliseconds kMemoryInterval{100};  // an overshoot of as much as fits into it is possible
constexpr Milliseconds kQueueInterval{10'000};

std::string mebibytes(std::uint64_t bytes) { return fmt::format("{:.4g} MiB", static_cast<double>(bytes) / 1048576); }

void check_memory(RunningSession& running, Clock::time_point now) {
  if (running.memory_limit == 0 || !running.child || running.ladder.reason()) return;
  const std::uint64_t seen = running.child->growth_bytes(running.memory_limit);
  if (seen <= running.memory_limit) return;
  running.ladder.kill(
      now, {Ending::failed, fmt::format("over memory: it may use {} (--memory, or the suite's memory key) and used {}",
                                        mebibytes(running.memory_limit), mebibytes(seen))});
}

/// Its processes may have waited at the same time, together for longer than `passed`.
void check_queue(RunningSession& running, Milliseconds passed) {
  if (running.wait_limit == Milliseconds(0) || !running.child || running.ladder.reason()) return;
  const Milliseconds queued = running.child->queued_time();
  if (queued > running.queued) running.ladder.waited(std::min(queued - running.queued, passed), running.wait_limit);
  running.queued = queued;
}

}  // namespace

Milliseconds time_to_clean_up(const Case& measured) {
  return measured.command && !measured.command->cleanup.empty() ? kToCleanUp : Milliseconds(0);
}

bool escalate(RunningSession& running, Clock::time_point now) {
  using Step = StopLadder::Step;
  const auto step = running.ladder.due(now);
  if (!step) return false;
  if (*step == Step::end_host) return true;
  // What is orphaned meanwhile is the supervisor's, and swept up when the session has ended.
  const int signal = *step == Step::interrupt ? SIGINT : *step == Step::terminate ? SIGTERM : SIGKILL;
  if (!running.child) return false;
  if (running.passes_signals_on && signal != SIGKILL) {
    running.child->signal(signal);
  } else {
    running.child->signal_tree(signal);
  }
  return false;
}

RunningSessions::iterator session_of(RunningSessions& sessions, std::uint32_t job) {
  return std::ranges::find_if(sessions, [job](const RunningSession& one) { return one.session->request().job == job; });
}

void MemoryWatch::check(RunningSessions& sessions, Clock::time_point now) {
  if (now < next_) return;
  next_ = now + kMemoryInterval;
  for (RunningSession& session : sessions) check_memory(session, now);
}

Clock::time_point MemoryWatch::next(const RunningSessions& sessions) const {
  const bool limited = std::ranges::any_of(sessions, [](const RunningSession& one) { return one.memory_limit > 0; });
  return limited ? next_ : Clock::time_point::max();
}

void QueueWatch::check(RunningSessions& sessions, Clock::time_point now) {
  if (now < next_) return;
  for (RunningSession& session : sessions) {
    const auto passed = now - std::max(seen_, session.started);
    check_queue(session, std::chrono::duration_cast<Milliseconds>(passed));
  }
  seen_ = now;
  next_ = now + kQueueInterval;
}

Clock::time_point QueueWatch::next(const RunningSessions& sessions) const {
  const bool may_move =
      std::ranges::any_of(sessions, [](const RunningSession& one) { return one.wait_limit > Milliseconds(0); });
  return may_move ? next_ : Clock::time_point::max();
}

namespace {

/// No attempt at measuring: what fails of it leaves the case as it is.
Ending deliver_probing(RunningSession& running, CaseOutcome& outcome) {
  const Ending ending = running.session->ending();
  std::optional<CaseFailure> before = outcome.failure;  // of another session of the case
  running.session->deliver(outcome);
  if (ending == Ending::ok || ending == Ending::cancelled) return ending;
  outcome.warnings.push_back(running.job.mode.probe->warning(outcome.failure->message));
  outcome.failure = std::move(before);
  return Ending::ok;
}

/// A replicate of another process is no part of the case's proof until it is there.
Ending deliver_another_process(RunningSession& running, CaseOutcome& outcome) {
  const Ending ending = running.session->ending();
  std::optional<CaseFailure> before = outcome.failure;
  running.session->deliver(outcome);
  if (ending == Ending::ok || ending == Ending::cancelled) return ending;
  without_another_process(outcome, outcome.failure->message);
  outcome.failure = std::move(before);
  return Ending::ok;
}

}  // namespace

void without_another_process(CaseOutcome& outcome, const std::string& why) {
  outcome.warnings.push_back("whether another process counts the same is not known: " + why);
}

Ending deliver(RunningSession& running, CaseOutcome& outcome) {
  if (running.job.mode.probe != nullptr) return deliver_probing(running, outcome);
  const std::chrono::duration<double> took = running.ended - running.started;
  // The machine's monotonic clock, which all of its runs share. The time of day was seen to step back by 6 ms in a run.
  const std::chrono::duration<double> since_boot = running.started.time_since_epoch();
  outcome.attempts.push_back({.mode = running.job.mode,
                              .ending = running.session->ending(),
                              .seconds = took.count(),
                              .started_s = since_boot.count(),
                              .cpus = running.session->request().cpus});
  if (running.job.anew) return deliver_another_process(running, outcome);
  running.session->deliver(outcome);
  return running.session->ending();
}

}  // namespace tally
