// The engine's ears: what hosts and children say, what time it is, and what has to end.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "base/text.h"
#include "execution/engine.h"

namespace tally {

namespace {

/// Valgrind begins its lines with the process: "==123== text".
std::string_view without_valgrind_prefix(std::string_view line) {
  if (!line.starts_with("==")) return line;
  const std::size_t end = line.find_first_not_of("0123456789", 2);
  return end != std::string_view::npos && end > 2 && line.substr(end).starts_with("==") ? trim(line.substr(end + 2))
                                                                                        : line;
}

/// How a host ended, and the last line with a word in it of what it wrote before.
std::string last_words(const ProcessResult& result) {
  const std::string text = result.err.text();
  std::string_view said;
  for (const std::string_view line : split(text, '\n')) {
    if (const std::string_view words = without_valgrind_prefix(trim(line)); !words.empty()) said = words;
  }
  return said.empty() ? describe(result.outcome) : fmt::format("{}: {}", describe(result.outcome), said);
}

}  // namespace

void Engine::handle(const Event& event) {
  if (const auto* interrupted = std::get_if<Interrupted>(&event)) {
    if (interruptions_ == 0) {
      interrupted_at_ = runner_.now();
      for (std::size_t i = 0; i < cases_.size(); ++i) {
        cut_[i] = queue_.queued(i) > 0;
        open_[i] -= queue_.queued(i);
      }
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
      // Its code wrote into a descriptor that is not its own: what it would say next cannot be told from that.
      if (!read) kill_session(*session, Ending::failed, "the case's process sent what is no message of our protocol");
      if (session->session->spent() && session->child) session->child->signal(SIGKILL);
      return;
    }
    if (session->session->output() == fd) {
      if (!session->session->on_output()) runner_.unwatch(fd);
      return;
    }
  }
  runner_.unwatch(fd);
}

void Engine::on_finished(const Finished& finished) {
  if (auto build = building_.extract(finished.id); !build.empty()) {
    if (interruptions_ > 0) return;
    builds_changed_ = true;
    if (auto told = builder_.finished(build.mapped().task, finished.result); !told) result_.stopped = told.error();
    return;
  }
  const auto host = std::ranges::find_if(hosts_, [&](const Host& h) { return h.process() == finished.id; });
  if (host == hosts_.end()) return;
  if (!host->used()) {
    // What it decided itself (a module that is missing) it would decide again; a signal may have been bad luck.
    const bool for_good = !host->ready() && std::holds_alternative<Exited>(finished.result.outcome);
    start_failed(host->kind(), last_words(finished.result), for_good);
  }
  if (finished.result.aslr_refused && !warned_aslr_) {
    warned_aslr_ = true;
    observer_.on_warning(
        "address randomisation could not be switched off (a container's seccomp profile?): counts may vary");
  }
  lose_host(host, "the host " + last_words(finished.result));
}

bool Engine::wants_another_session(const Job& job) const {
  const CaseOutcome& outcome = result_.outcomes[job.index];
  if (job.mode != Mode::counts || job.perturbation != nullptr) return false;
  return wants_another_replicate(*outcome.counts, cases_[job.index], options_);
}

void Engine::end_session(std::list<RunningSession>::iterator session) {
  runner_.unwatch(session->session->socket());
  runner_.unwatch(session->session->output());
  Job job = session->job;
  const Ending ending = session->session->ending();
  CaseOutcome& outcome = result_.outcomes[job.index];
  const std::chrono::duration<double> took = runner_.now() - session->started;
  // The machine's monotonic clock, which all of its runs share. The time of day was seen to step back by 6 ms in a run.
  const std::chrono::duration<double> since_boot = session->started.time_since_epoch();
  outcome.attempts.push_back({.mode = job.mode,
                              .ending = ending,
                              .seconds = took.count(),
                              .started_s = since_boot.count(),
                              .cpus = session->session->plan().cpus});
  session->session->deliver(outcome);
  if (outcome.forks_differ) forks_differ_.insert({session->kind, cases_[job.index].autograd});
  const auto host = session->host;
  const HostKind kind = session->kind;
  // What a case left behind must not run beside the next one.
  runner_.sweep(host->process());
  sessions_.erase(session);
  observer_.on_session_end(job.index, job.mode);
  if (ending != Ending::host_lost) failed_starts_.erase(kind);

  const bool another = ending == Ending::ok && wants_another_session(job);
  const bool again =
      !queue_.dropped(job.index) && ((ending == Ending::timed_out && job.timeouts < options_.timeout_retries) ||
                                     (ending == Ending::host_lost && job.hosts_lost < options_.host_retries));
  if (another && !ending_early()) {
    observer_.on_planned(job.mode, 1);
    queue_.put_back(kind, job);
    return;
  }
  if (again && !ending_early()) {
    ++(ending == Ending::timed_out ? job.timeouts : job.hosts_lost);
    outcome.failure.reset();
    queue_.put_back(kind, job);
    return;
  }
  --open_[job.index];
  if (ending == Ending::cancelled || again || another) {
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
  if (cut_[job.index] && outcome.ending == Ending::ok) {
    outcome.ending = Ending::cancelled;
    settled_[job.index] = open_[job.index] == 0;
    return;
  }
  settle_case(job.index);
}

}  // namespace tally
