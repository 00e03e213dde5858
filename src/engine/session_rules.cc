#include "engine/session_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "session/counting_dialogue.h"
#include "session/timer_overhead.h"

namespace tally {

namespace {

/// One more where those of earlier sessions prove nothing yet, as where a perturbed count only has to be seen.
std::size_t replicates_of(const Job& job, const CasePlan& plan, const CaseOutcome& outcome) {
  if (job.perturbation != nullptr || job.anew) return 1;
  if (outcome.counts && wants_another_replicate(*outcome.counts, plan)) return 1;
  return static_cast<std::size_t>(std::max(1, plan.replicates));
}

}  // namespace

SessionRules::SessionRules(const ExecutionRequest& request)
    : request_(request), timer_overhead_s_(measure_timer_overhead()) {
  plans_.reserve(request.cases.size());
  for (const Case& one : request.cases) plans_.push_back(case_plan(request.settings, one.settings));
}

Milliseconds SessionRules::deadline(const Job& job) const {
  return is_under_valgrind(job.mode) ? plan_of(job).counted_deadline : plan_of(job).native_deadline;
}

Milliseconds SessionRules::wait_limit(const Job& job) const {
  return is_under_valgrind(job.mode) ? plan_of(job).counted_wait : Milliseconds(0);
}

DialogueRules SessionRules::of(const HostKind& kind, const Job& job, const CaseOutcome& outcome) const {
  const Case& measured = request_.cases[job.index];
  const Toolchain& toolchain = request_.toolchains.at(measured.toolchain).spec;
  return {
      .measured = &measured,
      .toolchain = &toolchain,
      .mode = job.mode,
      .plan = plan_of(job),
      .perturbation = job.perturbation == nullptr ? std::string() : job.perturbation->name,
      .replicates = replicates_of(job, plan_of(job), outcome),
      .once = job.anew,
      // Where a forked process is known to continue otherwise than its parent would: of this case, or of one
      // that is likely to meet the same library (which spares this one a session). And the single
      // replicate of a perturbed count must be of the same kind as the first one of the undisturbed count. And a
      // program that measures itself would be another process in the second session: PyTorch's TorchScript, whose
      // case child counts otherwise than its forks, read as if it varied.
      .forks_all = job.perturbation != nullptr || job.anew || forks_differ_.contains({kind, measured.autograd}) ||
                   is_fork_of_program(kind, request_.surroundings),
      // Its allocations are its processes' own affair.
      .counts_allocations = request_.settings.counts && !measured.command,
      // A test in Python may fail after it was measured, and has fixtures to end; a command has its cleanup,
      // what its setup has started, and what it has left in a /tmp of its own.
      .waits_for_end =
          toolchain.own_host.python.has_value() ||
          (measured.command &&
           (!measured.command->setup.empty() || !measured.command->cleanup.empty() || measured.command->private_tmp)) ||
          (job.counts_undisturbed() && !job.anew && !request_.settings.wall && !toolchain.own_host.executable.empty()),
      .timer_overhead_s = timer_overhead_s_};
}

void SessionRules::note_forks_differ(const HostKind& kind, const Job& job) {
  forks_differ_.insert({kind, request_.cases[job.index].autograd});
}

std::string SessionRules::retry_text(const Job& job, const std::string& why) const {
  const Case& measured = request_.cases[job.index];
  const RetryLimits limits = retry_limits(request_.settings, measured.settings);
  return fmt::format("{}: {}, at attempt {} of {}; it is tried again", measured.id, why, 1 + job.timeouts,
                     1 + limits.after_timeout);
}

std::vector<RetryLimits> retries_of(const ExecutionRequest& request) {
  std::vector<RetryLimits> retries;
  retries.reserve(request.cases.size());
  for (const Case& one : request.cases) retries.push_back(retry_limits(request.settings, one.settings));
  return retries;
}

}  // namespace tally
