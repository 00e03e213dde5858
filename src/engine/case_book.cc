#include "engine/case_book.h"

namespace tally {

Job CaseBook::take(const HostKind& kind) {
  const Job job = queue_.take(kind);
  ++states_[job.index].running;
  return job;
}

void CaseBook::move_to_device(const HostKind& kind) {
  Job job = queue_.take(kind);
  job.on_device = true;
  HostKind moved = kind;
  moved.on_device = true;
  queue_.put_back(moved, job);
}

bool CaseBook::may_try_again(Job& job, Ending ending) const {
  if (queue_.dropped(job.index)) return false;
  const RetryLimits& retries = retries_[job.index];
  if (ending == Ending::timed_out) return job.timeouts++ < retries.after_timeout;
  if (ending == Ending::host_lost) return job.hosts_lost++ < retries.after_lost_host;
  return false;
}

CaseBook::Next CaseBook::end(const HostKind& kind, Job job, Ending ending, bool wants_another) {
  State& state = states_[job.index];
  --state.running;
  const bool another = ending == Ending::ok && wants_another;
  const bool again = may_try_again(job, ending);
  if ((another || again) && !interrupted_) {
    if (again) state.outcome.failure.reset();
    queue_.put_back(kind, job);
    return another ? Next::another_session : Next::try_again;
  }
  if (ending == Ending::cancelled || again || another) {
    state.outcome.ending = Ending::cancelled;
    queue_.drop(job.index);
    state.closed = true;
    return Next::nothing;
  }
  if (ending != Ending::ok) {
    state.outcome.ending = ending;
    queue_.drop(job.index);
  } else if (!state.outcome.failure) {
    state.outcome.ending = Ending::ok;
  }
  // An interrupted case has not been measured in every requested way: it is not a result.
  if (state.cut && state.outcome.ending == Ending::ok) {
    state.outcome.ending = Ending::cancelled;
    state.closed = state.closed || !has_jobs(job.index);
    return Next::nothing;
  }
  settle(job.index);
  return Next::nothing;
}

void CaseBook::fail(std::size_t index, CaseFailure failure, Ending ending) {
  CaseOutcome& outcome = states_[index].outcome;
  if (!outcome.failure) outcome.failure = std::move(failure);
  outcome.ending = ending;
  queue_.drop(index);
  settle(index);
}

void CaseBook::fail_taken(const Job& job, CaseFailure failure, Ending ending) {
  --states_[job.index].running;
  fail(job.index, std::move(failure), ending);
}

void CaseBook::drop_held() {
  for (const std::size_t index : queue_.drop_held()) {
    State& state = states_[index];
    if (has_jobs(index)) continue;
    if (!state.outcome.failure) state.outcome.ending = Ending::ok;
    settle(index);
  }
}

void CaseBook::settle(std::size_t index) {
  if (states_[index].closed || has_jobs(index)) return;
  states_[index].closed = true;
  settled_.push_back(index);
}

void CaseBook::interrupt() {
  interrupted_ = true;
  for (std::size_t i = 0; i < states_.size(); ++i) states_[i].cut = states_[i].cut || queue_.queued(i) > 0;
  queue_.clear();
}

std::optional<std::size_t> CaseBook::take_settled() {
  if (settled_.empty()) return std::nullopt;
  const std::size_t index = settled_.front();
  settled_.pop_front();
  return index;
}

}  // namespace tally
