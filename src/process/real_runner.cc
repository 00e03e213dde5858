#include "process/real_runner.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "process/held_process.h"
#include "process/mapped_files.h"
#include "process/running_child.h"
#include "process/thread_names.h"
#include "process/tree_time.h"

namespace tally {
namespace {

std::string absolute(const std::string& path) {
  std::error_code error;  // Our working folder is gone: the path stays as it is, and start() says so.
  const std::filesystem::path result = std::filesystem::absolute(path, error);
  return error ? path : result.string();
}

std::optional<Clock::time_point> earlier(std::optional<Clock::time_point> a, std::optional<Clock::time_point> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

int poll_until(std::vector<pollfd>& fds, std::optional<Clock::time_point> until) {
  timespec timeout{};
  if (until) {
    const auto left = std::max(*until - Clock::now(), Clock::duration::zero());
    const auto whole = std::chrono::floor<std::chrono::seconds>(left);
    timeout.tv_sec = whole.count();
    timeout.tv_nsec = std::chrono::nanoseconds(left - whole).count();
  }
  return ppoll(fds.data(), fds.size(), until ? &timeout : nullptr, nullptr);
}

}  // namespace

RealProcessRunner::RealProcessRunner(const std::string& supervisor, InterruptionSource* interrupts)
    : supervisor_(absolute(supervisor)), interrupts_(interrupts) {}

RealProcessRunner::~RealProcessRunner() {
  for (const auto& [id, child] : children_) cancel(id, CancelMode::at_once);
  while (!children_.empty()) collect(std::nullopt, Fds::ignored);
}

Result<ProcessId> RealProcessRunner::start(ProcessRequest request) {
  if (access(supervisor_.c_str(), X_OK) != 0) {
    return fail(ErrorKind::missing, "cannot find the program tally-supervisor", supervisor_,
                "build or install it again, or set its path");
  }
  Result<std::unique_ptr<RunningChild>> child = RunningChild::start(std::move(request), supervisor_);
  if (!child) return std::unexpected(child.error());
  const ProcessId id{++last_id_};
  children_.emplace(id, std::move(*child));
  return id;
}

void RealProcessRunner::cancel(ProcessId id, CancelMode mode) {
  if (const auto found = children_.find(id); found != children_.end()) found->second->stop(Cancelled{}, mode, now());
}

void RealProcessRunner::sweep(ProcessId id) {
  if (const auto found = children_.find(id); found != children_.end()) found->second->sweep();
}

Milliseconds RealProcessRunner::busy_time(ProcessId id) const {
  const auto found = children_.find(id);
  return found == children_.end() ? Milliseconds(0) : tree_time(found->second->pid());
}

Milliseconds RealProcessRunner::queued_time(ProcessId id) const {
  const auto found = children_.find(id);
  return found == children_.end() ? Milliseconds(0) : tree_queued(found->second->pid());
}

std::vector<std::string> RealProcessRunner::mapped_files(int pid) const { return tally::mapped_files(pid); }

std::vector<std::string> RealProcessRunner::thread_names(int pid) const { return tally::thread_names(pid); }

std::optional<int> RealProcessRunner::pid_of(ProcessId id) const {
  const auto found = children_.find(id);
  return found == children_.end() ? std::nullopt : std::optional(found->second->pid());
}

std::unique_ptr<ChildHandle> RealProcessRunner::hold(int pid, int parent) { return HeldProcess::hold(pid, parent); }

int RealProcessRunner::interruptions() const { return interrupts_ == nullptr ? 0 : interrupts_->count(); }

std::vector<Event> RealProcessRunner::collect(std::optional<Clock::time_point> deadline, Fds fds) {
  for (;;) {
    const bool endless = !deadline && children_.empty() && (fds == Fds::ignored || watched_.empty());
    const std::optional<Clock::time_point> next_step = act_on_time();
    Found found;
    if (!endless) look(earlier(deadline, next_step), fds, found);
    // A process that wrote and ended between two looks: its last words come with its end.
    if (!found.ended.empty() && fds == Fds::watched) found.watched = look_at(watched_);
    std::vector<Event> events = events_of(found);
    if (!events.empty() || endless || (deadline && now() >= *deadline)) return events;
  }
}

/// Deadlines and steps of stopping that are due; when the next one will be.
std::optional<Clock::time_point> RealProcessRunner::act_on_time() {
  const Clock::time_point now = Clock::now();
  std::optional<Clock::time_point> next;
  for (const auto& [id, child] : children_) {
    child->act(now);
    next = earlier(next, child->next_step());
  }
  return next;
}

/// Waits until `until` for anything at all, reads output, and notes the rest in `found`.
void RealProcessRunner::look(std::optional<Clock::time_point> until, Fds fds, Found& found) {
  std::vector<pollfd> polled;
  std::vector<std::function<void(const pollfd&)>> handlers;
  const auto add = [&](int fd, std::function<void(const pollfd&)> handler) {
    if (fd < 0) return;
    polled.push_back({fd, POLLIN, 0});
    handlers.push_back(std::move(handler));
  };
  if (interrupts_ != nullptr) add(interrupts_->fd(), [](const pollfd&) {});
  for (const auto& [id, owner] : children_) {
    RunningChild* child = owner.get();
    add(child->out_fd(), [child](const pollfd&) { child->read_out(); });
    add(child->err_fd(), [child](const pollfd&) { child->read_err(); });
    add(child->ended_fd(), [&found, id](const pollfd&) { found.ended.insert(id); });
  }
  if (fds == Fds::watched) {
    for (const int fd : watched_) {
      add(fd, [&found](const pollfd& event) { found.watched.add(event); });
    }
  }
  if (poll_until(polled, until) <= 0) return;
  for (std::size_t i = 0; i < polled.size(); ++i) {
    if (polled[i].revents != 0) handlers[i](polled[i]);
  }
}

std::vector<Event> RealProcessRunner::events_of(const Found& found) {
  std::vector<Event> events;
  if (const int count = interruptions(); count > interruptions_reported_) {
    interruptions_reported_ = count;
    events.emplace_back(Interrupted{count});
  }
  found.watched.report(events, watched_);
  for (const ProcessId id : found.ended) {
    const auto child = children_.find(id);
    events.emplace_back(Finished{id, child->second->finish()});
    children_.erase(child);
  }
  return events;
}

}  // namespace tally
