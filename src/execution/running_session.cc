#include "execution/running_session.h"

#include <fmt/format.h>

#include <csignal>

namespace tally {

namespace {

std::string mebibytes(std::uint64_t bytes) { return fmt::format("{:.4g} MiB", static_cast<double>(bytes) / 1048576); }

}  // namespace

bool climb(RunningSession& running, Clock::time_point now) {
  using Step = StopLadder::Step;
  const auto step = running.ladder.due(now);
  if (!step) return false;
  if (*step == Step::end_host) return true;
  // What is orphaned meanwhile is the supervisor's, and swept up when the session has ended.
  const int signal = *step == Step::interrupt ? SIGINT : *step == Step::terminate ? SIGTERM : SIGKILL;
  if (running.child) running.child->signal_tree(signal);
  return false;
}

void check_memory(RunningSession& running, Clock::time_point now) {
  if (running.memory_limit == 0 || !running.child || running.ladder.reason()) return;
  const std::uint64_t seen = running.child->growth_bytes(running.memory_limit);
  if (seen <= running.memory_limit) return;
  running.ladder.kill(
      now, {Ending::failed, fmt::format("over memory: it may use {} (--memory, or the suite's memory key) and used {}",
                                        mebibytes(running.memory_limit), mebibytes(seen))});
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

Ending deliver(RunningSession& running, Clock::time_point now, CaseOutcome& outcome) {
  if (running.job.mode.probe != nullptr) return deliver_probing(running, outcome);
  const std::chrono::duration<double> took = now - running.started;
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
