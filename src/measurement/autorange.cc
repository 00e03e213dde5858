#include "measurement/autorange.h"

#include <algorithm>
#include <cmath>

#include "measurement/statistics.h"
#include "measurement/wall.h"

namespace tally {

namespace {

constexpr double kLeastChildS = 0.5e-3;
constexpr double kMostBeyond = 4;

}  // namespace

double child_run_time_s(const WallPlan& plan) {
  const auto children = static_cast<double>(std::max<std::uint64_t>(plan.min_children, 1));
  return std::max(plan.min_run_time_s / children, kLeastChildS);
}

double least_block_s(const WallPlan& plan, double timer_overhead_s) {
  constexpr double overhead_share = 1e-4;
  constexpr double most_samples = 100;
  const double exact = std::min(timer_overhead_s / overhead_share, plan.min_run_time_s / 1000);
  return std::max({exact, child_run_time_s(plan) / most_samples, 1e-6});
}

WallStep next_wall_step(const WallPlan& plan, std::span<const std::vector<double>> by_child,
                        const WallProgress& progress) {
  const std::uint64_t children = by_child.size();
  if (plan.number > 0) return children > 0 ? WallStep::stop : WallStep::another_child;
  if (children < 2) return WallStep::another_child;
  if (children >= plan.max_children || progress.measured_s >= plan.max_run_time_s) return WallStep::stop;
  if (progress.measured_s < plan.min_run_time_s)
    return progress.spent_s < kMostBeyond * plan.max_run_time_s ? WallStep::another_child : WallStep::stop;
  if (progress.spent_s >= plan.max_run_time_s) return WallStep::stop;
  if (children < plan.min_children) return WallStep::another_child;
  const Interval interval = hierarchical_interval(by_child);
  const double wanted = plan.precision * (interval.low + interval.high) / 2;
  if (interval.half_width() <= wanted) return WallStep::stop;
  // An interval narrows with the root of the number of children.
  const double more = interval.half_width() / wanted;
  const bool out_of_reach = progress.spent_s * more * more > plan.max_run_time_s;
  return out_of_reach && progress.steal_share > kMuchStolen ? WallStep::stop : WallStep::another_child;
}

std::uint64_t next_children(const WallPlan& plan, std::uint64_t children, double spent_s) {
  if (children == 0 || !(spent_s > 0)) return 1;
  const double each = spent_s / static_cast<double>(children);
  // A little more than whole numbers say, which rounding has often made a little less.
  const double room = (plan.max_run_time_s - spent_s) / each + 0.1;
  const std::uint64_t missing = children < plan.min_children ? plan.min_children - children : 1;
  return room < static_cast<double>(missing) ? static_cast<std::uint64_t>(std::max(room, 1.0)) : missing;
}

bool are_last(const WallPlan& plan, std::uint64_t children, std::uint64_t more, const WallProgress& progress) {
  constexpr double kHardlyPaused = 0.99;
  constexpr double kVaries = 0.99;  // what the empty loop leaves of a child's time
  if (children == 0 || !(progress.sampled_s > 0)) return false;
  const bool sampled_all = progress.sampled_s >= kHardlyPaused * child_run_time_s(plan) * static_cast<double>(children);
  const double each_s = kVaries * child_budget_s(plan, progress) * progress.measured_s / progress.sampled_s;
  return sampled_all && progress.measured_s + each_s * static_cast<double>(more) >= plan.max_run_time_s;
}

double child_budget_s(const WallPlan& plan, const WallProgress& progress) {
  constexpr double kLeastLeft = 0.25;
  constexpr double kALittleMore = 1.02;
  if (!(progress.sampled_s > 0)) return child_run_time_s(plan);
  const double left = std::max(progress.measured_s / progress.sampled_s, kLeastLeft);
  return child_run_time_s(plan) / left * kALittleMore;
}

}  // namespace tally
