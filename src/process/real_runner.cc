#include "process/real_runner.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "process/running_child.h"
#include "process/tree_memory.h"

namespace tally {
namespace {

constexpr Milliseconds memory_interval{100};

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

/// The other side has hung up and everything it sent has been read.
bool is_closed(const pollfd& polled) {
  if ((polled.revents & POLLNVAL) != 0) return true;
  if ((polled.revents & (POLLHUP | POLLERR)) == 0) return false;
  int waiting = 0;
  return ioctl(polled.fd, FIONREAD, &waiting) == 0 ? waiting == 0 : (polled.revents & POLLIN) == 0;
}

}  // namespace

RealProcessRunner::RealProcessRunner(const std::string& supervisor, Interrupts* interrupts)
    : supervisor_(absolute(supervisor)), interrupts_(interrupts) {}

RealProcessRunner::~RealProcessRunner() {
  for (const auto& [id, child] : children_) cancel(id, CancelMode::at_once);
  while (!children_.empty()) collect(std::nullopt, Fds::ignored);
}

Result<ProcessId> RealProcessRunner::start(ProcessRequest request) {
  if (request.supervised && access(supervisor_.c_str(), X_OK) != 0) {
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

std::optional<int> RealProcessRunner::pid_of(ProcessId id) const {
  const auto found = children_.find(id);
  return found == children_.end() ? std::nullopt : std::optional(found->second->pid());
}

int RealProcessRunner::interruptions() const { return interrupts_ == nullptr ? 0 : interrupts_->count(); }

std::vector<Event> RealProcessRunner::collect(std::optional<Clock::time_point> deadline, Fds fds) {
  for (;;) {
    const bool endless = !deadline && children_.empty() && (fds == Fds::ignored || watched_.empty());
    const std::optional<Clock::time_point> next_step = act_on_time();
    Found found;
    if (!endless) look(earlier(deadline, next_step), fds, found);
    // A process that wrote and ended between two looks: its last words come with its end.
    if (!found.ended.empty() && fds == Fds::watched) look_at_watched(found);
    std::vector<Event> events = events_of(found);
    if (!events.empty() || endless || (deadline && now() >= *deadline)) return events;
  }
}

/// Deadlines, steps of stopping and memory limits that are due; when the next one will be.
std::optional<Clock::time_point> RealProcessRunner::act_on_time() {
  const Clock::time_point now = Clock::now();
  std::optional<Clock::time_point> next;
  const bool check_memory = now >= next_memory_check_;
  bool limited = false;
  for (const auto& [id, child] : children_) {
    child->act(now);
    if (const std::optional<std::uint64_t> limit = child->memory_limit()) {
      limited = true;
      const std::uint64_t seen = check_memory ? tree_memory_bytes(child->pid(), *limit) : 0;
      if (seen > *limit) child->stop(OverMemory{*limit, seen}, CancelMode::at_once, now);
    }
    next = earlier(next, child->next_step());
  }
  if (limited && check_memory) next_memory_check_ = now + memory_interval;
  return limited ? earlier(next, next_memory_check_) : next;
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
      add(fd, [&found](const pollfd& event) { (is_closed(event) ? found.closed : found.readable).insert(event.fd); });
    }
  }
  if (poll_until(polled, until) <= 0) return;
  for (std::size_t i = 0; i < polled.size(); ++i) {
    if (polled[i].revents != 0) handlers[i](polled[i]);
  }
}

void RealProcessRunner::look_at_watched(Found& found) {
  std::vector<pollfd> polled;
  polled.reserve(watched_.size());
  for (const int fd : watched_) polled.push_back({fd, POLLIN, 0});
  if (poll_until(polled, Clock::now()) <= 0) return;
  found.readable.clear();
  found.closed.clear();
  for (const pollfd& event : polled) {
    if (event.revents != 0) (is_closed(event) ? found.closed : found.readable).insert(event.fd);
  }
}

std::vector<Event> RealProcessRunner::events_of(const Found& found) {
  std::vector<Event> events;
  if (const int count = interruptions(); count > interruptions_told_) {
    interruptions_told_ = count;
    events.emplace_back(Interrupted{count});
  }
  for (const int fd : found.readable) events.emplace_back(FdReadable{fd});
  for (const int fd : found.closed) {
    watched_.erase(fd);
    events.emplace_back(FdClosed{fd});
  }
  for (const ProcessId id : found.ended) {
    const auto child = children_.find(id);
    events.emplace_back(Finished{id, child->second->finish()});
    children_.erase(child);
  }
  return events;
}

}  // namespace tally
