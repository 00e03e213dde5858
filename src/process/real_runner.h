/// The process runner over real processes: spawn, pin, deadline, kill the whole tree, collect.
///
/// Owns: every child of tally, their pipes, and the only waitpid of tally. Linux only (pidfd: 5.3).
/// A process is stopped through its tally-supervisor, which also ends everything when tally is killed.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "process/interruption_source.h"
#include "process/process.h"
#include "process/watched_fds.h"

namespace tally {

class RunningChild;

class RealProcessRunner final : public ProcessRunner {
 public:
  /// `supervisor` is the path of tally-supervisor; `interrupts`, which may be null, must outlive the runner. It is
  /// called for its count whenever the runner waits or runs a process, and must not call the runner then.
  explicit RealProcessRunner(const std::string& supervisor, InterruptionSource* interrupts = nullptr);
  /// Kills at once what still runs, and waits for its end.
  ~RealProcessRunner() override;

  Result<ProcessId> start(ProcessRequest request) override;
  void cancel(ProcessId id, CancelMode mode = CancelMode::graceful) override;
  void sweep(ProcessId id) override;
  [[nodiscard]] std::optional<int> pid_of(ProcessId id) const override;
  [[nodiscard]] Milliseconds busy_time(ProcessId id) const override;
  [[nodiscard]] Milliseconds queued_time(ProcessId id) const override;
  [[nodiscard]] std::vector<std::string> mapped_files(int pid) const override;
  [[nodiscard]] std::vector<std::string> thread_names(int pid) const override;
  std::unique_ptr<ChildHandle> hold(int pid, int parent) override;
  void watch(int fd) override { watched_.insert(fd); }
  void unwatch(int fd) override { watched_.erase(fd); }
  [[nodiscard]] Clock::time_point now() const override { return Clock::now(); }
  [[nodiscard]] int interruptions() const override;

 protected:
  std::vector<Event> collect(std::optional<Clock::time_point> deadline, Fds fds) override;

 private:
  /// What one look at the descriptors found.
  struct Found {
    WatchedFds watched;
    std::set<ProcessId> ended;
  };

  void look(std::optional<Clock::time_point> until, Fds fds, Found& found);
  std::optional<Clock::time_point> act_on_time();
  std::vector<Event> events_of(const Found& found);

  std::string supervisor_;
  InterruptionSource* interrupts_;
  int interruptions_reported_ = 0;
  std::uint64_t last_id_ = 0;
  std::map<ProcessId, std::unique_ptr<RunningChild>> children_;
  std::set<int> watched_;
};

}  // namespace tally
