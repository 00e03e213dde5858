// The engine's watch: deadlines, memory limits, interruptions, and how what runs is ended.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "execution/engine.h"

namespace tally {

namespace {

constexpr Milliseconds kKillStep{500};        // between SIGINT, SIGTERM and SIGKILL
constexpr Milliseconds kHungHost{5000};       // after SIGKILL, for a host to report its child
constexpr Milliseconds kMemoryInterval{100};  // an overshoot of as much as fits into it is possible
// Five seconds from Ctrl-C to the prompt: what runs may finish in three, and the record has to be written after that.
constexpr Milliseconds kFinishOnInterrupt{3000};
constexpr Milliseconds kGiveUpOnInterrupt{3700};

std::string mebibytes(std::uint64_t bytes) { return fmt::format("{:.4g} MiB", static_cast<double>(bytes) / 1048576); }

}  // namespace

/// The next step of ending a session: SIGINT, SIGTERM, SIGKILL, and then its host. The first reason counts.
void Engine::kill_session(RunningSession& session, Ending why, const std::string& message) {
  constexpr int kSignals[] = {SIGINT, SIGTERM, SIGKILL};
  if (!session.stopping) {
    session.stopping = why;
    session.stop_message = message;
  }
  if (session.kills < 3) {
    // What is orphaned meanwhile is the supervisor's, and swept up when the session has ended.
    if (session.child) session.child->signal_tree(kSignals[session.kills]);
    ++session.kills;
    session.deadline = runner_.now() + (session.kills < 3 ? kKillStep : kHungHost);
    return;
  }
  runner_.cancel(session.host->process(), CancelMode::at_once);
  session.deadline = Clock::time_point::max();
}

void Engine::check_deadlines() {
  const Clock::time_point now = runner_.now();
  for (RunningSession& session : sessions_) {
    if (now >= session.fork_deadline && !session.stopping) {
      session.stopping = Ending::host_lost;
      session.stop_message = fmt::format("the host did not answer within {} s",
                                         static_cast<double>(options_.fork_deadline.count()) / 1000);
      session.fork_deadline = Clock::time_point::max();
      runner_.cancel(session.host->process(), CancelMode::at_once);
    } else if (now >= session.deadline) {
      kill_session(session, Ending::timed_out,
                   fmt::format("timed out after {} s", static_cast<double>(deadline_of(session.job).count()) / 1000));
    }
  }
  check_memory();
  check_hosts();
  check_interruption();
}

void Engine::check_memory() {
  const Clock::time_point now = runner_.now();
  if (now < next_memory_check_) return;
  next_memory_check_ = now + kMemoryInterval;
  for (RunningSession& session : sessions_) {
    if (session.memory_limit == 0 || !session.child || session.stopping) continue;
    const std::uint64_t seen = session.child->growth_bytes(session.memory_limit);
    if (seen <= session.memory_limit) continue;
    session.kills = 2;  // A polite signal would only be time to take more.
    kill_session(session, Ending::failed,
                 fmt::format("over memory: it may use {} (--memory, or the suite's memory key) and used {}",
                             mebibytes(session.memory_limit), mebibytes(seen)));
  }
}

void Engine::check_hosts() {
  const Clock::time_point now = runner_.now();
  for (auto host = hosts_.begin(); host != hosts_.end();) {
    const auto current = host++;
    if (!current->ready() && now >= current->started() + options_.host_deadline) {
      start_failed(
          current->kind(),
          fmt::format("it was not ready within {} s", static_cast<double>(options_.host_deadline.count()) / 1000),
          false);
      runner_.cancel(current->process(), CancelMode::at_once);
      close_host(current);
    } else if (current->deaf_since() && now >= *current->deaf_since() + kHungHost) {
      runner_.cancel(current->process(), CancelMode::at_once);
    }
  }
}

void Engine::check_interruption() {
  if (interruptions_ == 0) return;
  const Clock::time_point now = runner_.now();
  if (now >= interrupted_at_ + kGiveUpOnInterrupt) return stop_everything(true);
  if (now < interrupted_at_ + kFinishOnInterrupt) return;
  for (RunningSession& session : sessions_) {
    session.kills = std::max(session.kills, 2);
    if (!session.stopping) kill_session(session, Ending::cancelled, "cancelled");
  }
}

std::optional<Clock::time_point> Engine::next_deadline() {
  std::optional<Clock::time_point> next = wake_observer_at_;
  const auto consider = [&](Clock::time_point time) {
    if (time != Clock::time_point::max() && (!next || time < *next)) next = time;
  };
  bool limited = false;
  for (const RunningSession& session : sessions_) {
    consider(std::min(session.deadline, session.fork_deadline));
    limited = limited || session.memory_limit > 0;
  }
  if (limited) consider(next_memory_check_);
  for (const Host& host : hosts_) {
    if (!host.ready()) consider(host.started() + options_.host_deadline);
    if (host.deaf_since()) consider(std::max(*host.deaf_since() + kHungHost, runner_.now() + Milliseconds(100)));
  }
  if (interruptions_ > 0 && !sessions_.empty()) consider(runner_.now() + Milliseconds(50));
  if (waiting_for_cpus_ || !queue_.empty())
    consider(runner_.now() + (waiting_for_cpus_ ? lease_retry : Milliseconds(500)));
  return next;
}

void Engine::stop_everything(bool at_once) {
  const CancelMode mode = at_once ? CancelMode::at_once : CancelMode::graceful;
  for (const auto& [id, build] : building_) runner_.cancel(id, mode);
  building_.clear();
  while (!sessions_.empty()) {
    sessions_.front().session->on_stopped(Ending::cancelled, "cancelled");
    end_session(sessions_.begin());
  }
  for (const Host& host : hosts_) {
    runner_.unwatch(host.control_fd());
    runner_.cancel(host.process(), mode);
  }
  hosts_.clear();
  starting_.clear();
  queue_.clear();
}

}  // namespace tally
