#include "measurement/autorange.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(Autorange, GrowsUntilTheTimerVanishes) {
  // 25 ns of timer is 0.01 % of 250 µs; a thousandth of 0.1 s is 100 µs, which comes first.
  std::uint64_t number = 1;
  int steps = 0;
  for (;; ++steps) {
    const std::uint64_t next = next_block_size({number, 40e-9 * static_cast<double>(number)}, 25e-9, 0.1);
    if (next == number) break;
    EXPECT_LE(next, number * 10);
    number = next;
    ASSERT_LT(steps, 10);
  }
  EXPECT_GE(40e-9 * static_cast<double>(number), 100e-6);
  EXPECT_LE(40e-9 * static_cast<double>(number), 130e-6);
}

TEST(Autorange, SlowStatementsStayAtOne) { EXPECT_EQ(next_block_size({1, 0.5}, 25e-9, 0.1), 1U); }

TEST(Autorange, ClockThatReadsZeroStillGrows) { EXPECT_EQ(next_block_size({3, 0}, 25e-9, 0.1), 30U); }

TEST(Autorange, StopsOnlyWithEnoughChildrenTimeAndPrecision) {
  const WallPlan plan{.min_run_time_s = 0.1, .max_run_time_s = 1, .precision = 0.01};
  const std::vector<std::vector<double>> tight(5, {1.0, 1.0, 1.0});
  const std::vector<std::vector<double>> loose = {{1.0}, {1.1}, {0.9}, {1.2}, {1.0}};
  EXPECT_EQ(next_wall_step(plan, {tight.data(), 4}, 0.5), WallStep::another_child);
  EXPECT_EQ(next_wall_step(plan, tight, 0.05), WallStep::another_child);
  EXPECT_EQ(next_wall_step(plan, tight, 0.2), WallStep::stop);
  EXPECT_EQ(next_wall_step(plan, loose, 0.2), WallStep::another_child);
  EXPECT_EQ(next_wall_step(plan, loose, 1.0), WallStep::stop);
  EXPECT_EQ(next_wall_step(plan, {loose.data(), 1}, 60), WallStep::another_child);
}

}  // namespace
}  // namespace tally
