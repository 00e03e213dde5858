/// Decides how long to measure: pure decisions, one step at a time, that the hosts and the runner carry out. All times
/// are seconds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tally {

struct WallPlan {
  double min_run_time_s =
      0.065;  ///< 13 ms a child: of what children differ by, four fifths come and go within one
              ///< (bench/intervals/children.py; 15 ms would be the most informative for the time they take).
  double max_run_time_s = 0.5;  ///< Of all that children take, their forks and their ends included.
  double precision = 0.01;      ///< Half width of the interval, relative to the median.
  std::uint64_t min_children = 5;
  std::uint64_t max_children = 40;
  std::uint64_t number = 0;  ///< Executions in one sample, all of them of one child; 0: as many as the clock needs.
};

/// How long one child should sample, so that `min_children` of them fill the minimum run time. Half a millisecond at
/// the least, since a fork and an end take 0.2 ms (C++) to 1.6 (PyTorch): of as much time, fewer and longer children
/// help more.
double child_run_time_s(const WallPlan& plan);

/// How long a block, which is one sample, must last at the least. The timer's overhead is at most 0.01 % of it, or it
/// takes a thousandth of the minimum run time, whichever is less; and no child takes more than a hundred samples, which
/// say as much of a median as the thousands that a statement of 1 ns would fill every record with. Never below 1 µs.
double least_block_s(const WallPlan& plan, double timer_overhead_s);

/// What timing a case has given so far.
struct WallProgress {
  double measured_s = 0;   ///< The samples, as a record has them: the empty loop is taken off.
  double spent_s = 0;      ///< All that children took, from the first one's fork to the last one's end.
  double steal_share = 0;  ///< Of that, 0 … 1: what other guests of the machine took.
  double sampled_s = 0;    ///< As measured_s, with the empty loop.
};

enum class WallStep { another_child, stop };

/// After each child: continue until there are enough children, the minimum run time is measured and the interval is
/// within the precision; stop in any case at the maximum number of children, and, never before two children or before
/// the minimum run time is measured, at the maximum run time (at four times that in any case: a statement of which
/// nothing is left never reaches a run time). Where other guests take more than a hundredth of the time, stop also when
/// at this rate the precision is out of reach by then: more samples of their noise would say no more about the
/// statement. Where the number of executions is given, after the first child.
WallStep next_wall_step(const WallPlan& plan, std::span<const std::vector<double>> by_child,
                        const WallProgress& progress);

/// How long the next child is to sample, so that it measures child_run_time_s(): longer by what the empty loop takes,
/// up to four times.
double child_budget_s(const WallPlan& plan, const WallProgress& progress);

/// When another child is wanted: for how many to ask at once. The first one alone, since it shows how long they take;
/// then as many as are missing, unless that would exceed the maximum run time.
std::uint64_t next_children(const WallPlan& plan, std::uint64_t children, double spent_s);

/// Whether so many more children are the last in any case, since their samples alone reach the maximum run time. Never
/// where children sampled less than they were to, as those do that pause.
bool are_last(const WallPlan& plan, std::uint64_t children, std::uint64_t more, const WallProgress& progress);

}  // namespace tally
