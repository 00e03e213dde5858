/// Executes a plan: builds, hosts and sessions, until every case has an outcome. The event loop, and the choice of the
/// next job.
///
/// Order of work: builds first (much waits for them), then hosts, then counts, which may fill every core; wall times
/// last, on cores where nothing else of ours runs, and only when nothing is being compiled any more. What becomes of a
/// case is the book's to say, what a host is the pool's, how something stops the ladder's, what is asked of a child the
/// dialogue's. Renders nothing: what happens is reported to an observer.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cpu/placement.h"
#include "engine/build_queue.h"
#include "engine/case_book.h"
#include "engine/device_turns.h"
#include "engine/file_sharing.h"
#include "engine/held_counts.h"
#include "engine/interruption.h"
#include "engine/jobs.h"
#include "engine/observer.h"
#include "engine/prepared_hosts.h"
#include "engine/running_session.h"
#include "engine/session_rules.h"
#include "hosts/host_pool.h"

namespace tally {

struct ExecutionResult {
  bool interrupted = false;
  std::optional<Error> stopped;  ///< Why it could not continue; cases that the observer was given by then are whole.
};

class Engine {
 public:
  Engine(ProcessRunner& runner, CpuLeases& leases, HostPool& pool, Builder& builder, ExecutionRequest request,
         ExecutionObserver& observer);
  ~Engine();

  /// `done` marks cases that need no running (a resumed run has their outcome already); may be empty.
  ExecutionResult run(const std::vector<bool>& done);

 private:
  using Running = RunningSessions::iterator;

  void queue_jobs(const std::vector<bool>& done);
  void collect_builds();
  void start_all();
  bool start_work();
  bool start_build();
  bool start_session();
  void end_without_host(const HostKind& kind, const Job& job, const std::string& why);
  bool start_host(const PreparedHost& host);
  bool start_session(const HostKind& kind, const HostSpec& spec, HostId host);
  bool start_turn();
  bool begin_session(const HostKind& kind, const HostSpec& spec, HostId host, CpuLease lease, std::vector<Card> cards);
  bool announce(const HostKind& kind, const HostSpec& spec, HostId host);
  [[nodiscard]] bool is_undecided(const HostKind& kind) const;
  [[nodiscard]] bool device_is_free(const HostKind& kind, const Job& job);
  [[nodiscard]] SessionRequest request_for(const HostKind& kind, const Job& job, HostId host,
                                           const CpuLease& lease) const;
  void request_refused(const HostKind& kind, const Job& job, HostId host, const Error& error);

  void handle(const Event& event);
  void on_interrupted(int count);
  void on_fd(int fd, bool closed);
  void on_case_socket(Running session, bool closed);
  void on_finished(const Finished& finished);
  void give_up_cards();
  void handle(const std::vector<HostEvent>& events);
  void on_forked(const ChildForked& forked);
  void on_reaped(const ChildReaped& reaped);
  void on_gone(const HostGone& gone);
  void note_files(const RunningSession& session);
  void end_session(Running session);
  void estimate_single_hosts(const RunningSession& session);
  void conclude_sessions();
  void measure_again(const RunningSession& session);
  [[nodiscard]] bool wants_device(const RunningSession& session) const;
  void measure_on_device(const RunningSession& session);
  void look_into_device(const Job& job, const CaseOutcome& outcome);
  void conclude(RunningSession& session);
  void report_settled();

  void check_deadlines();
  void check_interruption();
  [[nodiscard]] std::optional<Clock::time_point> next_deadline();
  void end_unwanted_hosts();
  void stop_everything();

  [[nodiscard]] std::string sharing_group(std::size_t index) const;
  [[nodiscard]] std::size_t cpus_in_use() const;
  std::optional<CpuLease> lease_for(Mode mode, int threads = 1);
  std::optional<CpuLease> lease_for_device(const std::string& kind, int threads);
  [[nodiscard]] std::string device_kind(const Job& job) const;
  void note_cards(const RunningSession& session, CaseOutcome& outcome) const;

  ProcessRunner& runner_;
  HostPool& pool_;
  Builder& builder_;
  ExecutionRequest request_;
  ExecutionObserver& observer_;
  std::vector<Perturbation> perturbations_;

  SessionRules rules_;
  ExecutionResult result_;
  CaseBook book_;
  BuildQueue builds_;
  Placement placement_;
  PreparedHosts prepared_;
  HeldCounts held_;
  RunningSessions sessions_;
  RunningSessions ended_;  ///< Not concluded: what they ran beside may spoil them yet, or their cards are read.
  DeviceTurns turns_;
  FileSharing sharing_;
  std::size_t all_cpus_ = 1;  ///< That may be used; with one, cases never run beside each other.
  /// By case, of those that name no device: it has requested one, and is measured where there are some.
  std::vector<bool> moved_to_device_;
  std::set<std::string> warned_of_warm_up_;  ///< Toolchains.
  bool has_estimated_single_hosts_ = false;
  std::vector<bool> looked_into_;  ///< By case: what the device does of it is requested.
  MemoryWatch memory_;
  QueueWatch queue_;
  Interruption interruption_;
  std::optional<Clock::time_point> wake_observer_at_;
  std::optional<Clock::time_point> next_due_;  ///< Of the jobs that may not be taken yet.
};

}  // namespace tally
