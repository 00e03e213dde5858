/// A process runner without processes, for tests of what sits above the seam. Time is virtual and moves only in wait().
#pragma once

#include <deque>
#include <map>
#include <set>

#include "process/process.h"

namespace tally {

/// What the next process to be started will do.
struct ScriptedProcess {
  ProcessResult result;
  Milliseconds takes{0};         ///< Longer than the request's deadline: it ends there, as TimedOut.
  std::optional<Error> refused;  ///< start() returns this instead.
};

class FakeProcessRunner final : public ProcessRunner {
 public:
  /// Processes take their scripts in the order in which they are started; a start without a script is refused.
  void script(ScriptedProcess process) { scripts_.push_back(std::move(process)); }
  /// `event` happens `after` from now; descriptors need not be watched.
  void inject(Event event, Milliseconds after = Milliseconds(0));

  /// Everything that was asked of this runner so far.
  std::vector<ProcessRequest> started;
  std::vector<std::pair<ProcessId, CancelMode>> cancelled;
  std::vector<ProcessId> swept;
  std::set<int> watched;

  Result<ProcessId> start(ProcessRequest request) override;
  void cancel(ProcessId id, CancelMode mode = CancelMode::graceful) override;
  void sweep(ProcessId id) override { swept.push_back(id); }
  [[nodiscard]] std::optional<int> pid_of(ProcessId id) const override;
  void watch(int fd) override { watched.insert(fd); }
  void unwatch(int fd) override { watched.erase(fd); }
  [[nodiscard]] Clock::time_point now() const override { return now_; }
  [[nodiscard]] int interruptions() const override { return interruptions_; }

 protected:
  std::vector<Event> collect(std::optional<Clock::time_point> deadline, Fds fds) override;

 private:
  Clock::time_point now_{};
  std::uint64_t last_id_ = 0;
  int interruptions_ = 0;
  std::deque<ScriptedProcess> scripts_;
  std::multimap<Clock::time_point, Event> coming_;
};

}  // namespace tally
