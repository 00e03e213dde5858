#include "process/testing/fake_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "process/watched_fds.h"

namespace tally {
namespace {

/// In an answer: the variant's order is the order of the contract, and within a kind descriptors and ids count.
std::pair<std::size_t, std::uint64_t> place(const Event& event) {
  std::uint64_t within = 0;
  if (const auto* readable = std::get_if<FdReadable>(&event)) within = static_cast<std::uint64_t>(readable->fd);
  if (const auto* closed = std::get_if<FdClosed>(&event)) within = static_cast<std::uint64_t>(closed->fd);
  if (const auto* finished = std::get_if<Finished>(&event)) within = static_cast<std::uint64_t>(finished->id);
  return {event.index(), within};
}

class FakeHandle final : public ChildHandle {
 public:
  FakeHandle(FakeProcessRunner& runner, int pid) : runner_(&runner), pid_(pid) {}

  [[nodiscard]] int pid() const override { return pid_; }
  bool signal(int signal) override { return send(signal, false); }
  int signal_tree(int signal) override { return send(signal, true) ? 1 : 0; }
  [[nodiscard]] std::uint64_t growth_bytes(std::uint64_t /*limit*/) const override {
    const auto child = runner_->children.find(pid_);
    return child == runner_->children.end() ? 0 : child->second.growth_bytes;
  }
  [[nodiscard]] Milliseconds queued_time() const override {
    return runner_->child_queued ? runner_->child_queued(pid_) : Milliseconds(0);
  }

 private:
  bool send(int signal, bool tree) {
    const auto child = runner_->children.find(pid_);
    if (child == runner_->children.end()) return false;
    runner_->signals.push_back({pid_, signal, tree});
    // A copy: it may take itself out of the children.
    if (const auto react = child->second.on_signal) react(signal);
    return true;
  }

  FakeProcessRunner* runner_;
  int pid_;
};

}  // namespace

void FakeProcessRunner::after(Milliseconds time, std::function<void()> action) {
  coming_.emplace(now_ + time, std::move(action));
}

void FakeProcessRunner::inject(Event event, Milliseconds after) {
  this->after(after, [this, event = std::move(event)] {
    if (const auto* interrupted = std::get_if<Interrupted>(&event)) interruptions_ = interrupted->count;
    happened_.push_back(event);
  });
}

Result<ProcessId> FakeProcessRunner::start(ProcessRequest request) {
  ScriptedProcess script;
  if (!scripts_.empty()) {
    script = std::move(scripts_.front());
    scripts_.pop_front();
  } else if (play) {
    script = play(request);
  } else {
    return fail(ErrorKind::internal, fmt::format("no script for process {}", started.size() + 1),
                request.argv.empty() ? "" : request.argv[0]);
  }
  if (!script.refused) {
    const ProcessId id{++last_id_};
    Running& running = running_[id];
    running.result = std::move(script.result);
    running.started = now_;
    if (request.deadline && (!script.takes || *script.takes > *request.deadline)) {
      script.takes = *request.deadline;
      running.result.outcome = TimedOut{*request.deadline};
    }
    if (script.takes) after(*script.takes, [this, id, result = running.result] { finish(id, result); });
    if (script.peer) running.peer = script.peer(*this, id, request);
    for (PassedFd& passed : request.pass_fds) running.fds.push_back({passed.target, std::move(passed.fd)});
  }
  started.push_back(std::move(request));
  if (script.refused) return std::unexpected(*script.refused);
  return ProcessId{last_id_};
}

void FakeProcessRunner::end(ProcessId id, ProcessResult result) {
  // Not now: it may be its peer who asks.
  after(Milliseconds(0), [this, id, result = std::move(result)] { finish(id, result); });
}

void FakeProcessRunner::finish(ProcessId id, ProcessResult result) {
  const auto running = running_.find(id);
  if (running == running_.end()) return;
  result.wall = now_ - running->second.started;
  running_.erase(running);
  happened_.emplace_back(Finished{id, std::move(result)});
}

void FakeProcessRunner::cancel(ProcessId id, CancelMode mode) {
  cancelled.emplace_back(id, mode);
  const auto running = running_.find(id);
  if (running == running_.end()) return;
  ProcessResult result = running->second.result;
  result.outcome = Cancelled{};
  end(id, std::move(result));
}

std::optional<int> FakeProcessRunner::pid_of(ProcessId id) const {
  return running_.contains(id) ? std::optional(100'000 + static_cast<int>(id)) : std::nullopt;
}

std::unique_ptr<ChildHandle> FakeProcessRunner::hold(int pid, int parent) {
  const auto child = children.find(pid);
  if (child == children.end() || child->second.parent != parent) return nullptr;
  return std::make_unique<FakeHandle>(*this, pid);
}

std::vector<Event> FakeProcessRunner::collect(std::optional<Clock::time_point> deadline, Fds fds) {
  for (;;) {
    do_what_is_due();
    for (const auto& [id, running] : running_) {
      if (running.peer) running.peer->pump();
    }
    std::vector<Event> events = take_events(fds);
    if (!events.empty() || !move_time(deadline, fds)) return events;
  }
}

void FakeProcessRunner::do_what_is_due() {
  while (!coming_.empty() && coming_.begin()->first <= now_) coming_.extract(coming_.begin()).mapped()();
}

std::vector<Event> FakeProcessRunner::take_events(Fds fds) {
  std::vector<Event> events;
  if (fds == Fds::watched) look_at(watched).report(events, watched);
  for (Event& event : std::exchange(happened_, {})) {
    const bool of_fd = std::holds_alternative<FdReadable>(event) || std::holds_alternative<FdClosed>(event);
    (of_fd && fds == Fds::ignored ? happened_ : events).push_back(std::move(event));
  }
  std::ranges::sort(events, {}, place);
  return events;
}

/// To the next thing that will happen, or to the deadline, which is false.
bool FakeProcessRunner::move_time(std::optional<Clock::time_point> deadline, Fds fds) {
  if (coming_.empty() || (deadline && *deadline < coming_.begin()->first)) {
    if (deadline) {
      now_ = std::max(now_, *deadline);
    } else if (!running_.empty() || (fds == Fds::watched && !watched.empty())) {
      throw std::logic_error("everybody waits for something, and nothing will come");
    }
    return false;
  }
  now_ = std::max(now_, coming_.begin()->first);
  return true;
}

}  // namespace tally
