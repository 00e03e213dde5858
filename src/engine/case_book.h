/// The state of each case of a plan: its jobs, its attempts, its outcome. Pure bookkeeping; runs nothing.
///
/// A case has jobs, one for each way in which it is measured. A job waits, is taken, and comes back with an ending: it
/// is tried again, wants one more session, or is done. When no job of a case is left, its outcome is settled and given
/// out once. No case is lost: what was neither settled nor given out when all is over was interrupted.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "engine/job_queue.h"
#include "session/case_plan.h"
#include "session/outcome.h"

namespace tally {

class CaseBook {
 public:
  /// One for each case.
  explicit CaseBook(std::vector<RetryLimits> retries)
      : states_(retries.size()), queue_(retries.size()), retries_(std::move(retries)) {}

  void add(const HostKind& kind, const Job& job) { queue_.add(kind, job); }
  /// The next to be taken of its kind, once it is due. Its case is built, and has not ended.
  void add_next(const HostKind& kind, const Job& job) { queue_.put_back(kind, job); }
  /// Lets jobs be taken whose case is built.
  void release(const std::function<bool(std::size_t)>& built) { queue_.release(built); }
  /// Lets jobs be taken that are due; when the next one is.
  std::optional<Clock::time_point> release_due(Clock::time_point now) { return queue_.release_due(now); }

  /// The kinds of host that have a job to take, in the order of their first jobs.
  std::vector<HostKind> kinds() { return queue_.kinds(); }
  [[nodiscard]] const Job& first(const HostKind& kind) const { return queue_.first(kind); }
  Job take(const HostKind& kind);
  /// The first job of a kind, of a case that turned out to work on a device, becomes the first of its hosts' kind.
  void move_to_device(const HostKind& kind);
  /// Any job is left for this kind, whether it may be taken or not.
  bool wants(const HostKind& kind) { return queue_.wants(kind); }
  /// How many, about.
  [[nodiscard]] std::size_t left(const HostKind& kind) const { return queue_.left(kind); }
  bool nothing_left() { return queue_.empty(); }

  /// Where the sessions of a case put what they learn.
  CaseOutcome& outcome(std::size_t index) { return states_[index].outcome; }
  [[nodiscard]] const CaseOutcome& outcome(std::size_t index) const { return states_[index].outcome; }
  [[nodiscard]] bool open(std::size_t index) const { return !states_[index].closed && has_jobs(index); }

  enum class Next { nothing, another_session, try_again };
  /// A taken job has ended, and its case's outcome has its attempt and its failure. `wants_another`: what it gave is
  /// not enough yet.
  Next end(const HostKind& kind, Job job, Ending ending, bool wants_another);
  /// A case cannot be measured (any more): its waiting jobs are dropped, running ones may end.
  void fail(std::size_t index, CaseFailure failure, Ending ending);
  /// The same for a job that was taken.
  void fail_taken(const Job& job, CaseFailure failure, Ending ending);

  /// Holds jobs back: see JobQueue. Their cases are open meanwhile.
  void hold(const std::function<bool(const Job&)>& which) { queue_.hold(which); }
  void release_held() { queue_.release_held(); }
  /// They need not be done: a case that has no others has ended well.
  void drop_held();

  /// Begins nothing more. Cases that lose a job by this are no results, whatever their others give.
  void interrupt();

  /// Cases that have become settled, each once; its outcome is the caller's then.
  std::optional<std::size_t> take_settled();

 private:
  struct State {
    CaseOutcome outcome;
    int running = 0;
    bool cut = false;     ///< It lost a job to an interruption.
    bool closed = false;  ///< Settled, or given up.
  };
  [[nodiscard]] bool has_jobs(std::size_t index) const {
    return states_[index].running > 0 || queue_.queued(index) > 0;
  }
  bool may_try_again(Job& job, Ending ending) const;
  void settle(std::size_t index);

  std::vector<State> states_;
  JobQueue queue_;
  std::vector<RetryLimits> retries_;
  bool interrupted_ = false;
  std::deque<std::size_t> settled_;
};

}  // namespace tally
