#include "session/case_plan.h"

#include <algorithm>

namespace tally {

namespace {

constexpr Milliseconds kCountedDeadline{300'000};
constexpr Milliseconds kCountedWait{900'000};
constexpr Milliseconds kNativeDeadline{60'000};
// Of an interleaved run: three turns of two children make the six that one turn would take.
constexpr int kTurns = 3;
constexpr std::uint64_t kChildrenInATurn = 2;
// Forks, set-up and warm-up of each child come on top of what is sampled.
constexpr double kRoomBesideSamples = 4;

double seconds(Milliseconds time) { return std::chrono::duration<double>(time).count(); }

Milliseconds milliseconds(double seconds) { return Milliseconds(static_cast<std::int64_t>(seconds * 1000)); }

WallPlan wall_plan(const Settings& settings, const CaseSettings& own) {
  WallPlan plan;
  plan.precision = own.precision.value_or(settings.precision);
  plan.number = settings.number_per_run.value_or(0);
  plan.min_run_time_s = own.min_run_time ? seconds(*own.min_run_time) : settings.min_run_time_s;
  plan.max_run_time_s = own.max_run_time ? seconds(*own.max_run_time) : settings.max_run_time_s;
  // Where only the one or the other was requested, it pushes the other's default along.
  if (own.max_run_time && !own.min_run_time) plan.min_run_time_s = std::min(plan.min_run_time_s, plan.max_run_time_s);
  plan.max_run_time_s = std::max(plan.max_run_time_s, plan.min_run_time_s);
  if (settings.interleave) {
    plan.min_run_time_s /= kTurns;
    plan.max_run_time_s /= kTurns;
    plan.min_children = kChildrenInATurn;
  }
  return plan;
}

}  // namespace

CasePlan case_plan(const Settings& settings, const CaseSettings& own) {
  CasePlan plan;
  const auto asked = own.iterations ? own.iterations : settings.iterations;
  plan.iterations = asked.value_or(kUsualIterations);
  plan.exact_iterations = asked.has_value();
  plan.replicates = own.replicates.value_or(settings.replicates);
  plan.max_replicates = std::max(plan.replicates, settings.max_replicates);
  plan.wall = wall_plan(settings, own);
  plan.counted_deadline = kCountedDeadline;
  if (!settings.timeout_s && !own.timeout) plan.counted_wait = kCountedWait;
  plan.native_deadline = kNativeDeadline + milliseconds(kRoomBesideSamples * plan.wall.max_run_time_s);
  if (settings.timeout_s) plan.counted_deadline = plan.native_deadline = milliseconds(*settings.timeout_s);
  if (own.timeout) plan.counted_deadline = plan.native_deadline = *own.timeout;
  plan.memory_bytes = own.memory_bytes.value_or(settings.memory_bytes.value_or(0));
  plan.system_entropy = own.entropy ? *own.entropy == Entropy::system : settings.entropy == "system";
  return plan;
}

int wall_turns(const Settings& settings) { return settings.repeat * (settings.interleave ? kTurns : 1); }

RetryLimits retry_limits(const Settings& settings, const CaseSettings& own) {
  const RetryLimits usual;
  const std::optional<int> said = own.retries ? own.retries : settings.retries;
  return {said.value_or(usual.after_timeout), said.value_or(usual.after_lost_host)};
}

HostDeadlines host_deadlines(const Settings& settings) {
  HostDeadlines deadlines;
  if (settings.host_timeout_s) {
    deadlines.start = milliseconds(*settings.host_timeout_s);
    deadlines.busy_start.reset();
  }
  deadlines.fork = std::min(deadlines.fork, deadlines.start);
  return deadlines;
}

}  // namespace tally
