#include "measurement/autorange.h"

#include <algorithm>
#include <cmath>

#include "measurement/statistics.h"
#include "measurement/wall.h"

namespace tally {

std::uint64_t next_block_size(Block last, double timer_overhead_s, double min_run_time_s) {
  constexpr double overhead_share = 1e-4;
  const double by_overhead = timer_overhead_s / overhead_share;
  const double by_run_time = min_run_time_s / 1000;
  const double wanted = std::min(by_overhead, by_run_time);
  if (last.seconds >= wanted) return last.number;
  constexpr double most = 10;
  const double factor = last.seconds > 0 ? std::min(most, 1.1 * wanted / last.seconds) : most;
  const auto grown = static_cast<std::uint64_t>(std::ceil(static_cast<double>(last.number) * factor));
  return std::max(grown, last.number + 1);
}

double child_run_time_s(const WallPlan& plan) {
  return plan.min_run_time_s / static_cast<double>(std::max<std::uint64_t>(plan.min_children, 1));
}

WallStep next_wall_step(const WallPlan& plan, std::span<const std::vector<double>> by_child, double measured_s) {
  const std::uint64_t children = by_child.size();
  if (children < 2) return WallStep::another_child;
  if (children >= plan.max_children || measured_s >= plan.max_run_time_s) return WallStep::stop;
  if (children < plan.min_children || measured_s < plan.min_run_time_s) return WallStep::another_child;
  const Interval interval = hierarchical_interval(by_child);
  const double middle = (interval.low + interval.high) / 2;
  return interval.half_width() <= plan.precision * middle ? WallStep::stop : WallStep::another_child;
}

}  // namespace tally
