// The engine's ears: what hosts and children say, what time it is, and what has to end.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "base/text.h"
#include "execution/engine.h"

namespace tally {

using protocol::Field;
using protocol::Message;
using protocol::MessageType;

namespace {

constexpr Milliseconds kKillStep{500};   // between SIGINT, SIGTERM and SIGKILL
constexpr Milliseconds kHungHost{5000};  // after SIGKILL, for a host to report its child
constexpr Milliseconds kFinishOnInterrupt{5000};

/// How a host ended, and the last line of what it wrote before.
std::string last_words(const ProcessResult& result) {
  const std::string text = result.err.text();
  const std::string_view trimmed = trim(text);
  if (trimmed.empty()) return describe(result.outcome);
  return fmt::format("{}: {}", describe(result.outcome), trim(trimmed.substr(trimmed.rfind('\n') + 1)));
}

}  // namespace

void Engine::handle(const Event& event) {
  if (const auto* interrupted = std::get_if<Interrupted>(&event)) {
    if (interruptions_ == 0) {
      interrupted_at_ = runner_.now();
      for (const Job& job : queue_) --open_[job.index];
      queue_.clear();
      builds_.clear();
      for (const auto& [id, build] : building_) runner_.cancel(id, CancelMode::at_once);
    }
    interruptions_ = std::max(interruptions_ + 1, interrupted->count);
    if (interruptions_ > 1) stop_everything(true);
  } else if (const auto* readable = std::get_if<FdReadable>(&event)) {
    on_fd(readable->fd, false);
  } else if (const auto* closed = std::get_if<FdClosed>(&event)) {
    on_fd(closed->fd, true);
  } else if (const auto* finished = std::get_if<Finished>(&event)) {
    on_finished(*finished);
  }
}

void Engine::on_fd(int fd, bool closed) {
  for (auto host = hosts_.begin(); host != hosts_.end(); ++host) {
    if (host->control().fd() == fd) return on_control(host, closed);
  }
  for (auto session = sessions_.begin(); session != sessions_.end(); ++session) {
    if (session->session->socket() == fd) {
      bool ended = closed;
      auto read = session->session->on_socket(ended);
      if (ended || !read) runner_.unwatch(fd);  // its exit, which the host reports, says why
      return;
    }
    if (session->session->output() == fd) {
      if (!session->session->on_output()) runner_.unwatch(fd);
      return;
    }
  }
  runner_.unwatch(fd);
}

void Engine::on_control(std::list<Host>::iterator host, bool closed) {
  const ProcessId process = host->process();
  std::vector<std::pair<std::uint32_t, int>> exits;
  bool ended = closed;
  auto read = host->control().read(
      [&](const Message& message) {
        const auto session = std::ranges::find_if(
            sessions_, [&](const RunningSession& s) { return s.session->plan().job == message.job(); });
        switch (message.type()) {
          case MessageType::hello:
            host->set_hello({static_cast<int>(message.number(Field::pid)),
                             static_cast<int>(message.number(Field::threads)),
                             std::string(message.text(Field::version).value_or(""))});
            starting_.erase(process);
            if (host->hello()->threads > 1 && single_use_.insert(host->kind()).second) {
              observer_.on_warning(
                  fmt::format("the {} has {} threads and cannot be forked safely: each of its cases gets a "
                              "process of its own, which is slower",
                              describe(host->kind()), host->hello()->threads));
            }
            break;
          case MessageType::started:
            if (session != sessions_.end()) session->session->on_started(static_cast<int>(message.number(Field::pid)));
            break;
          case MessageType::exited:
            exits.emplace_back(message.job(), static_cast<int>(message.number(Field::status)));
            break;
          default:
            break;
        }
      },
      ended);
  for (const auto& [job, status] : exits) {
    const auto session =
        std::ranges::find_if(sessions_, [&](const RunningSession& s) { return s.session->plan().job == job; });
    if (session == sessions_.end()) continue;
    if (session->stopping) {
      session->session->on_stopped(
          *session->stopping,
          *session->stopping == Ending::cancelled
              ? "cancelled"
              : fmt::format("timed out after {} s", static_cast<double>(deadline_of(session->job).count()) / 1000));
    } else {
      session->session->on_exited(status);
    }
    end_session(session);
  }
  if (!read) {
    runner_.cancel(process, CancelMode::at_once);
    lose_host(host, describe(read.error()));
  } else if (ended) {
    // The reason is what the process wrote and how it ended: both come with its Finished, or it hangs.
    runner_.unwatch(host->control().fd());
    host->set_deaf(runner_.now());
  }
}

void Engine::on_finished(const Finished& finished) {
  if (auto build = building_.extract(finished.id); !build.empty()) {
    if (interruptions_ > 0) return;
    if (auto told = builder_.finished(build.mapped().task, finished.result); !told) result_.stopped = told.error();
    return;
  }
  const auto host = std::ranges::find_if(hosts_, [&](const Host& h) { return h.process() == finished.id; });
  if (host == hosts_.end()) return;
  if (!host->ready()) {
    broken_[host->kind()] =
        fmt::format("the {} does not start: {}", describe(host->kind()), last_words(finished.result));
  }
  if (finished.result.aslr_refused && !warned_aslr_) {
    warned_aslr_ = true;
    observer_.on_warning(
        "address randomisation could not be switched off (a container's seccomp profile?): counts may vary");
  }
  lose_host(host, "the host " + last_words(finished.result));
}

/// Its sessions are retried in a fresh host, as often as the options say.
void Engine::lose_host(std::list<Host>::iterator host, const std::string& why) {
  for (auto session = sessions_.begin(); session != sessions_.end();) {
    const auto next = std::next(session);
    if (session->host == host) {
      session->session->on_stopped(session->stopping.value_or(Ending::host_lost), why);
      end_session(session);
    }
    session = next;
  }
  close_host(host);
}

void Engine::close_host(std::list<Host>::iterator host) {
  runner_.unwatch(host->control().fd());
  starting_.erase(host->process());
  host->control().close();
  runner_.cancel(host->process(), CancelMode::graceful);
  hosts_.erase(host);
}

void Engine::end_session(std::list<RunningSession>::iterator session) {
  runner_.unwatch(session->session->socket());
  runner_.unwatch(session->session->output());
  Job job = session->job;
  const Ending ending = session->session->ending();
  CaseOutcome& outcome = result_.outcomes[job.index];
  const std::chrono::duration<double> took = runner_.now() - session->started;
  outcome.attempts.push_back({job.mode, ending, took.count()});
  session->session->deliver(outcome);
  const auto host = session->host;
  // What a failed case may have left behind must not run beside the next one.
  if (ending != Ending::ok) runner_.sweep(host->process());
  sessions_.erase(session);
  if (single_use_.contains(host->kind()) && ending != Ending::host_lost) close_host(host);

  const bool again = interruptions_ == 0 && ((ending == Ending::timed_out && job.timeouts < options_.timeout_retries) ||
                                             (ending == Ending::host_lost && job.hosts_lost < options_.host_retries));
  if (again) {
    ++(ending == Ending::timed_out ? job.timeouts : job.hosts_lost);
    outcome.failure.reset();
    queue_.push_front(job);
    return;
  }
  --open_[job.index];
  if (ending == Ending::cancelled) {
    outcome.ending = Ending::cancelled;
    drop_jobs(job.index);
    settled_[job.index] = true;
    return;
  }
  if (ending != Ending::ok) {
    outcome.ending = ending;
    drop_jobs(job.index);
  } else if (!outcome.failure) {
    outcome.ending = Ending::ok;
  }
  // An interrupted case has not been measured in every way that was asked for: it is not a result.
  if (interruptions_ > 0 && open_[job.index] == 0 && outcome.ending == Ending::ok) {
    const bool whole = (!options_.counts || outcome.counts) && (!options_.wall || outcome.wall);
    if (!whole) {
      outcome.ending = Ending::cancelled;
      settled_[job.index] = true;
      return;
    }
  }
  settle_case(job.index);
}

void Engine::kill_session(RunningSession& session, Ending why) {
  constexpr int kSignals[] = {SIGINT, SIGTERM, SIGKILL};
  if (!session.stopping) session.stopping = why;
  if (session.kills < 3) {
    // The case child leads a process group of its own; what has left the group is swept up when it has ended.
    if (const auto pid = session.session->pid()) ::kill(-*pid, kSignals[session.kills]);
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
    if (now >= session.deadline) kill_session(session, Ending::timed_out);
  }
  for (auto host = hosts_.begin(); host != hosts_.end(); ++host) {
    if (host->ready() || now < host->started() + options_.host_deadline) continue;
    broken_[host->kind()] =
        fmt::format("the {} was not ready within {} s", describe(host->kind()), options_.host_deadline.count() / 1000);
    runner_.cancel(host->process(), CancelMode::at_once);
    close_host(host);
    return check_deadlines();
  }
  for (const Host& host : hosts_) {
    if (host.deaf_since() && now >= *host.deaf_since() + kHungHost) runner_.cancel(host.process(), CancelMode::at_once);
  }
  if (interruptions_ > 0 && now >= interrupted_at_ + kFinishOnInterrupt) {
    for (RunningSession& session : sessions_) {
      session.kills = std::max(session.kills, 2);
      if (!session.stopping) kill_session(session, Ending::cancelled);
    }
  }
}

std::optional<Clock::time_point> Engine::next_deadline() const {
  std::optional<Clock::time_point> next;
  const auto consider = [&](Clock::time_point time) {
    if (time != Clock::time_point::max() && (!next || time < *next)) next = time;
  };
  for (const RunningSession& session : sessions_) consider(session.deadline);
  for (const Host& host : hosts_) {
    if (!host.ready()) consider(host.started() + options_.host_deadline);
    if (host.deaf_since()) consider(std::max(*host.deaf_since() + kHungHost, runner_.now() + Milliseconds(100)));
  }
  if (interruptions_ > 0 && !sessions_.empty()) {
    consider(std::max(interrupted_at_ + kFinishOnInterrupt, runner_.now() + Milliseconds(50)));
  }
  if (waiting_for_cpus_ || !queue_.empty())
    consider(runner_.now() + (waiting_for_cpus_ ? lease_retry : Milliseconds(500)));
  return next;
}

void Engine::close_idle_hosts() {
  for (auto host = hosts_.begin(); host != hosts_.end();) {
    const auto current = host++;
    const bool wanted = std::ranges::any_of(queue_, [&](const Job& job) { return kind_of(job) == current->kind(); });
    const bool busy = std::ranges::any_of(sessions_, [&](const RunningSession& s) { return s.host == current; });
    if (!wanted && !busy) close_host(current);
  }
}

void Engine::stop_everything(bool at_once) {
  const CancelMode mode = at_once ? CancelMode::at_once : CancelMode::graceful;
  for (const auto& [id, build] : building_) runner_.cancel(id, mode);
  building_.clear();
  while (!sessions_.empty()) {
    sessions_.front().session->on_stopped(Ending::cancelled, "cancelled");
    interruptions_ += interruptions_ == 0 && result_.stopped ? 1 : 0;
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
