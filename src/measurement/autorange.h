/// How long to measure: pure decisions that the hosts and the runner drive, one step at a time. All times are seconds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tally {

struct WallPlan {
  double min_run_time_s = 0.1;
  double max_run_time_s = 0.5;  ///< Of measuring, not counting forks and setup.
  double precision = 0.01;      ///< Half width of the interval, relative to the median.
  std::uint64_t min_children = 5;
  std::uint64_t max_children = 40;
};

/// One block of `number` executions took `seconds`.
struct Block {
  std::uint64_t number = 1;
  double seconds = 0;
};

/// The number to try next, or the same number when the block is long enough: the timer's overhead is at most 0.01 % of
/// it, or it takes a thousandth of the minimum run time. Grows at most tenfold a step, so that one lucky short block
/// cannot ask for hours.
std::uint64_t next_block_size(Block last, double timer_overhead_s, double min_run_time_s);

/// How long one child should sample, so that `min_children` of them fill the minimum run time.
double child_run_time_s(const WallPlan& plan);

enum class WallStep { another_child, stop };

/// After each child: go on until there are enough children, the minimum run time is spent and the interval is within
/// the precision; stop in any case at the maximum run time (though never before two children) or number of children.
WallStep next_wall_step(const WallPlan& plan, std::span<const std::vector<double>> by_child, double measured_s);

}  // namespace tally
