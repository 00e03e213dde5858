/// Runs a plan: builds, hosts, and sessions, each on CPUs of its own, until every case has an outcome.
///
/// Owns: the event loop, the hosts, the queue, leases, deadlines and retries. Measures nothing itself and renders
/// nothing: what happens is told to an observer, in the order in which it happens; outcomes keep plan order.
///
/// Order of work: builds first (much waits for them), then hosts, then counts, which may fill every core; wall times
/// last, on cores where nothing else of ours runs, and only when nothing is being compiled any more.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "build/builder.h"
#include "execution/cpu_lease.h"
#include "execution/host.h"
#include "execution/job_queue.h"
#include "execution/outcome.h"
#include "execution/session.h"
#include "process/process.h"

namespace tally {

/// Told what happens; for progress, journal and -v. All calls come from the loop's thread.
class ExecutionObserver {
 public:
  virtual ~ExecutionObserver() = default;
  virtual void on_process(const std::string& what,
                          const std::vector<std::string>& argv) = 0;                        ///< Started: build, host.
  virtual void on_planned(Mode mode, std::size_t sessions) = 0;                             ///< Before all others.
  virtual void on_session(std::size_t index, Mode mode, const std::vector<int>& cpus) = 0;  ///< Started.
  virtual void on_session_end(std::size_t index, Mode mode) = 0;  ///< However it ended; it may be tried again.
  /// Finished; the outcome will not change any more. An error stops the run (a journal that cannot be written).
  virtual Status on_case(std::size_t index, const CaseOutcome& outcome) = 0;
  /// The loop comes round; it is to do so again at the returned time, if not before.
  virtual std::optional<Clock::time_point> on_time(Clock::time_point /*now*/) { return std::nullopt; }
  virtual void on_waiting(const std::string& why) = 0;  ///< For CPUs that another tally holds.
  virtual void on_warning(const std::string& text) = 0;
};

struct ExecutionResult {
  std::vector<CaseOutcome> outcomes;  ///< In plan order; without the samples, which the observer was given.
  bool interrupted = false;
  std::optional<Error> stopped;  ///< Why the run could not go on; outcomes up to then are kept.
};

class Engine {
 public:
  Engine(ProcessRunner& runner, CpuLeases& leases, Builder& builder,
         const std::map<std::string, ToolchainHere>& toolchains, std::span<const Case> cases,
         const ExecutionOptions& options, ExecutionObserver& observer);
  ~Engine();

  /// `done` marks cases that need no running (a resumed run has their outcome already); may be empty.
  ExecutionResult run(const std::vector<bool>& done);

 private:
  struct RunningSession {
    Job job;
    HostKind kind;
    std::unique_ptr<Session> session;
    CpuLease lease;
    std::list<Host>::iterator host;
    Clock::time_point started;
    Clock::time_point deadline;
    Clock::time_point fork_deadline;     ///< When the host must have forked the child.
    std::unique_ptr<ChildHandle> child;  ///< Once it has been forked; null when it is gone again.
    std::uint64_t memory_limit = 0;      ///< 0: none.
    int kills = 0;                       ///< SIGINT, SIGTERM, SIGKILL so far.
    std::optional<Ending> stopping;      ///< Why it is being killed.
    std::string stop_message;
  };
  struct RunningBuild {
    std::uint32_t task = 0;
    CpuLease lease;
  };

  void queue_jobs(const std::vector<bool>& done);
  bool start_work();
  Status collect_builds();
  bool start_build();
  bool start_session();
  bool start_session(const HostKind& kind);
  std::size_t replicates_of_next_session(const Job& job) const;
  bool forks_all_replicates(const HostKind& kind, const Job& job) const;
  bool start_host(const HostKind& kind);
  std::list<Host>::iterator ready_host(const HostKind& kind);
  bool host_coming(const HostKind& kind) const;
  void handle(const Event& event);
  void on_fd(int fd, bool closed);
  void on_finished(const Finished& finished);
  void on_control(std::list<Host>::iterator host, bool closed);
  void start_failed(const HostKind& kind, const std::string& why, bool for_good);
  void on_started(RunningSession& session, const protocol::Message& message);
  void lose_host(std::list<Host>::iterator host, const std::string& why);
  void close_host(std::list<Host>::iterator host);
  /// A counted case whose processes give one replicate each has too few.
  [[nodiscard]] bool wants_another_session(const Job& job) const;
  void end_session(std::list<RunningSession>::iterator session);
  void check_deadlines();
  void kill_session(RunningSession& session, Ending why, const std::string& message);
  void check_hosts();
  void check_memory();
  void check_interruption();
  [[nodiscard]] bool ending_early() const { return interruptions_ > 0 || result_.stopped; }
  std::optional<Clock::time_point> next_deadline();
  void settle_case(std::size_t index);
  void fail_case(std::size_t index, CaseFailure failure, Ending ending);
  void drop_jobs(std::size_t index);
  void close_idle_hosts();
  void stop_everything(bool at_once);
  [[nodiscard]] bool holds_all_cpus() const;
  std::optional<CpuLease> try_lease(int count, bool whole_cores);
  HostKind kind_of(const Job& job) const;
  Milliseconds deadline_of(const Job& job) const;

  ProcessRunner& runner_;
  CpuLeases& leases_;
  Builder& builder_;
  const std::map<std::string, ToolchainHere>& toolchains_;
  std::span<const Case> cases_;
  const ExecutionOptions& options_;
  ExecutionObserver& observer_;

  ExecutionResult result_;
  std::vector<int> open_;  ///< Jobs of each case that are queued or running.
  std::vector<bool> settled_;
  std::vector<bool> cut_;  ///< Cases that lost jobs to an interruption.
  JobQueue queue_;
  bool builds_changed_ = true;
  std::list<BuildTask> builds_;  ///< Ready to start.
  std::map<ProcessId, RunningBuild> building_;
  std::list<Host> hosts_;
  std::map<ProcessId, CpuLease> starting_;  ///< Hosts that are not ready hold a CPU.
  std::map<HostKind, std::string> broken_;  ///< Hosts that do not start, and why.
  std::map<HostKind, int> failed_starts_;   ///< In a row.
  /// Groups of cases of which one counted otherwise in a forked process than in the case child itself.
  std::set<std::pair<HostKind, Autograd>> forks_differ_;
  std::set<HostKind> single_use_;  ///< Hosts that serve one session each: by option, or because they have threads.
  std::list<RunningSession> sessions_;
  std::uint32_t last_job_ = 0;
  std::uint32_t host_count_ = 0;
  bool waiting_for_cpus_ = false;
  bool announced_waiting_ = false;
  bool warned_aslr_ = false;
  int interruptions_ = 0;
  Clock::time_point interrupted_at_{};
  Clock::time_point next_memory_check_{};
  std::optional<Clock::time_point> wake_observer_at_;
  double timer_overhead_s_;
};

}  // namespace tally
