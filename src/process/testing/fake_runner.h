/// A process runner without processes, for tests of what sits above the seam. Time is virtual and moves only in wait(),
/// and only when nothing can happen any more before it does.
///
/// Descriptors are real: what a process is handed goes to the FakePeer that plays it, in this process and thread, and
/// what is watched is polled. So a test runs the real protocol over real sockets, at the speed of system calls.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>

#include "process/process.h"

namespace tally {

class FakeProcessRunner;

/// Plays one started process. Destroyed when that ends, which closes its descriptors, before its Finished is reported.
class FakePeer {
 public:
  FakePeer() = default;
  FakePeer(const FakePeer&) = delete;
  FakePeer& operator=(const FakePeer&) = delete;
  virtual ~FakePeer() = default;

  /// Each time round, before time moves: reads what has come, and answers. Must not block.
  virtual void pump() = 0;
};

/// What a process that is started will do.
struct ScriptedProcess {
  ProcessResult result;
  std::optional<Milliseconds> takes = Milliseconds(0);  ///< Longer than the request's deadline: it ends there, as
                                                        ///< TimedOut. Nothing: it runs until end() or cancel().
  std::optional<Error> refused;                         ///< start() returns this instead.
  /// Makes what plays it; null for a process that says nothing. The request still holds its descriptors; what is not
  /// taken out of it closes with the process.
  std::function<std::unique_ptr<FakePeer>(FakeProcessRunner&, ProcessId, ProcessRequest&)> peer;
};

/// A process that another one forked, for hold(): in FakeProcessRunner::children for as long as it lives.
struct FakeChild {
  int parent = 0;
  std::function<void(int signal)> on_signal;  ///< May be null.
  std::uint64_t growth_bytes = 0;
};

struct SentSignal {
  int pid = 0;
  int signal = 0;
  bool tree = false;
  bool operator==(const SentSignal&) const = default;
};

class FakeProcessRunner final : public ProcessRunner {
 public:
  /// Processes take their scripts in the order in which they are started; one without a script is given to `play`.
  void script(ScriptedProcess process) { scripts_.push_back(std::move(process)); }
  /// Null: a start without a script is refused.
  std::function<ScriptedProcess(const ProcessRequest&)> play;

  /// `event` happens `after` from now; descriptors need not be watched.
  void inject(Event event, Milliseconds after = Milliseconds(0));
  /// Something to be done then.
  void after(Milliseconds time, std::function<void()> action);
  /// The process ends, at the next moment. Ignored when it has ended.
  void end(ProcessId id, ProcessResult result);

  /// The children that may be held, by number. A peer adds and erases its own.
  std::map<int, FakeChild> children;

  /// How much processor time a process has used; null: none.
  std::function<Milliseconds(ProcessId)> busy;
  /// How long it has waited for a processor; null: not at all.
  std::function<Milliseconds(ProcessId)> queued;
  /// The same of a child that is held.
  std::function<Milliseconds(int pid)> child_queued;
  /// What every process has in memory.
  std::vector<std::string> mapped;
  std::vector<std::string> threads;  ///< Names.

  /// Everything that was asked of this runner so far. The requests without their descriptors.
  std::vector<ProcessRequest> started;
  std::vector<std::pair<ProcessId, CancelMode>> cancelled;
  std::vector<ProcessId> swept;
  std::vector<SentSignal> signals;
  std::set<int> watched;

  Result<ProcessId> start(ProcessRequest request) override;
  void cancel(ProcessId id, CancelMode mode = CancelMode::graceful) override;
  void sweep(ProcessId id) override { swept.push_back(id); }
  [[nodiscard]] std::optional<int> pid_of(ProcessId id) const override;
  [[nodiscard]] Milliseconds busy_time(ProcessId id) const override { return busy ? busy(id) : Milliseconds(0); }
  [[nodiscard]] Milliseconds queued_time(ProcessId id) const override { return queued ? queued(id) : Milliseconds(0); }
  [[nodiscard]] std::vector<std::string> mapped_files(int /*pid*/) const override { return mapped; }
  [[nodiscard]] std::vector<std::string> thread_names(int /*pid*/) const override { return threads; }
  std::unique_ptr<ChildHandle> hold(int pid, int parent) override;
  void watch(int fd) override { watched.insert(fd); }
  void unwatch(int fd) override { watched.erase(fd); }
  [[nodiscard]] Clock::time_point now() const override { return now_; }
  [[nodiscard]] int interruptions() const override { return interruptions_; }

 protected:
  /// Throws std::logic_error where a real runner would wait for ever.
  std::vector<Event> collect(std::optional<Clock::time_point> deadline, Fds fds) override;

 private:
  struct Running {
    ProcessResult result;
    Clock::time_point started;
    std::vector<PassedFd> fds;
    std::unique_ptr<FakePeer> peer;
  };

  void do_what_is_due();
  void finish(ProcessId id, ProcessResult result);
  std::vector<Event> take_events(Fds fds);
  bool move_time(std::optional<Clock::time_point> deadline, Fds fds);

  Clock::time_point now_{};
  std::uint64_t last_id_ = 0;
  int interruptions_ = 0;
  std::deque<ScriptedProcess> scripts_;
  std::map<ProcessId, Running> running_;
  std::multimap<Clock::time_point, std::function<void()>> coming_;
  std::vector<Event> happened_;  ///< And not yet reported.
};

}  // namespace tally
