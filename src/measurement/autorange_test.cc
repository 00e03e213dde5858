#include "measurement/autorange.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(Autorange, ABlockOutlastsTheTimerAndAChildHasAHundred) {
  // 2 ns of timer is 0.01 % of 20 µs, but five children of 10 ms would take five hundred samples each.
  EXPECT_DOUBLE_EQ(least_block_s({.min_run_time_s = 0.05}, 2e-9), 100e-6);
  // With a single child, 25 ns is 0.01 % of 250 µs and a thousandth of 1 s is 1 ms: a hundredth of it is 10 ms.
  EXPECT_DOUBLE_EQ(least_block_s({.min_run_time_s = 1, .min_children = 1}, 25e-9), 10e-3);
  // A hundred children: the timer decides.
  EXPECT_DOUBLE_EQ(least_block_s({.min_run_time_s = 1, .min_children = 100}, 25e-9), 250e-6);
}

TEST(Autorange, AChildSamplesAsLongAsItsForkTakesAtTheLeast) {
  EXPECT_DOUBLE_EQ(child_run_time_s({.min_run_time_s = 0.065}), 0.013);
  EXPECT_DOUBLE_EQ(child_run_time_s({.min_run_time_s = 0.001}), 0.0005);
  EXPECT_DOUBLE_EQ(least_block_s({.min_run_time_s = 0}, 25e-9), 5e-6) << "a hundredth of it";
}

TEST(Autorange, AsksForSeveralChildrenOnceOneHasReported) {
  const WallPlan plan{.min_run_time_s = 0.1, .max_run_time_s = 1};
  EXPECT_EQ(next_children(plan, 0, 0), 1U);
  EXPECT_EQ(next_children(plan, 1, 0.02), 4U);
  EXPECT_EQ(next_children(plan, 5, 0.1), 1U);
  EXPECT_EQ(next_children(plan, 1, 0.3), 2U) << "a third and a fourth would exceed the maximum together";
  EXPECT_EQ(next_children(plan, 1, 10), 1U) << "never before two children";
  EXPECT_EQ(next_children({.min_run_time_s = 0.001, .max_run_time_s = 0.001}, 1, 0.0002), 4U) << "rounding";
}

TEST(Autorange, ChildrenAreTheLastWhereNothingElseCouldCome) {
  const WallPlan shortest{.min_run_time_s = 0.001, .max_run_time_s = 0.001};
  EXPECT_TRUE(are_last(shortest, 1, 1, {.measured_s = 0.0005, .spent_s = 0.0008, .sampled_s = 0.0005}));
  EXPECT_FALSE(are_last(shortest, 0, 1, {})) << "never before two children";
  EXPECT_FALSE(are_last(shortest, 1, 1, {.measured_s = 0.0002, .spent_s = 0.0008, .sampled_s = 0.0002})) << "it pauses";
  const WallPlan plan{.min_run_time_s = 0.1, .max_run_time_s = 1};
  EXPECT_FALSE(are_last(plan, 1, 4, {.measured_s = 0.02, .spent_s = 0.03, .sampled_s = 0.02}))
      << "the interval decides";
  EXPECT_FALSE(are_last(plan, 48, 1, {.measured_s = 0.96, .spent_s = 1.9, .sampled_s = 0.96}));
  EXPECT_TRUE(are_last(plan, 49, 1, {.measured_s = 0.98, .spent_s = 1.9, .sampled_s = 0.98}));
}

TEST(Autorange, WhatTheEmptyLoopTookIsNoPartOfTheRequestedRunTime) {
  const WallPlan plan{.min_run_time_s = 2, .max_run_time_s = 2};
  const std::vector<std::vector<double>> tight(5, {1.0, 1.0, 1.0});
  EXPECT_EQ(next_wall_step(plan, tight, {.measured_s = 1.44, .spent_s = 2.1, .sampled_s = 2}), WallStep::another_child);
  EXPECT_EQ(next_wall_step(plan, tight, {.measured_s = 2, .spent_s = 2.9, .sampled_s = 2.8}), WallStep::stop);
  EXPECT_EQ(next_wall_step(plan, tight, {.measured_s = 0, .spent_s = 8, .sampled_s = 7.8}), WallStep::stop)
      << "nothing is left of it";
  EXPECT_FALSE(are_last(plan, 1, 4, {.measured_s = 0.28, .spent_s = 0.41, .sampled_s = 0.4}));
  EXPECT_TRUE(are_last(plan, 1, 4, {.measured_s = 0.4, .spent_s = 0.41, .sampled_s = 0.4}));
  EXPECT_DOUBLE_EQ(child_budget_s(plan, {}), 0.4);
  EXPECT_DOUBLE_EQ(child_budget_s(plan, {.measured_s = 0.2, .spent_s = 0.41, .sampled_s = 0.4}), 0.816);
  EXPECT_DOUBLE_EQ(child_budget_s(plan, {.measured_s = 0, .spent_s = 0.41, .sampled_s = 0.4}), 1.632);
}

TEST(Autorange, AGivenNumberOfExecutionsIsTimedInOneChild) {
  const WallPlan plan{.min_run_time_s = 100, .number = 1};
  EXPECT_EQ(next_wall_step(plan, {}, {}), WallStep::another_child);
  EXPECT_EQ(next_wall_step(plan, std::vector<std::vector<double>>{{1.0, 2.0}}, {3, 3}), WallStep::stop);
}

TEST(Autorange, StopsOnlyWithEnoughChildrenTimeAndPrecision) {
  const WallPlan plan{.min_run_time_s = 0.1, .max_run_time_s = 1, .precision = 0.01};
  const std::vector<std::vector<double>> tight(5, {1.0, 1.0, 1.0});
  const std::vector<std::vector<double>> loose = {{1.0}, {1.1}, {0.9}, {1.2}, {1.0}};
  EXPECT_EQ(next_wall_step(plan, {tight.data(), 4}, {0.5, 0.6}), WallStep::another_child);
  EXPECT_EQ(next_wall_step(plan, tight, {0.05, 0.1}), WallStep::another_child);
  EXPECT_EQ(next_wall_step(plan, tight, {0.2, 0.4}), WallStep::stop);
  EXPECT_EQ(next_wall_step(plan, loose, {0.2, 0.4}), WallStep::another_child);
  EXPECT_EQ(next_wall_step(plan, loose, {1.0, 2.0}), WallStep::stop);
  EXPECT_EQ(next_wall_step(plan, {loose.data(), 1}, {60, 60}), WallStep::another_child);
}

TEST(Autorange, TheMaximumBoundsForksTooAndTheMinimumIsOfSamples) {
  const WallPlan plan{.min_run_time_s = 0.1, .max_run_time_s = 1, .precision = 0.01};
  const std::vector<std::vector<double>> loose = {{1.0}, {1.1}, {0.9}, {1.2}, {1.0}};
  EXPECT_EQ(next_wall_step(plan, loose, {.measured_s = 0.3, .spent_s = 0.9}), WallStep::another_child);
  EXPECT_EQ(next_wall_step(plan, loose, {.measured_s = 0.3, .spent_s = 1}), WallStep::stop);
  EXPECT_EQ(next_wall_step(plan, {loose.data(), 3}, {.measured_s = 0.3, .spent_s = 1}), WallStep::stop);
  EXPECT_EQ(next_wall_step(plan, loose, {.measured_s = 0.09, .spent_s = 1}), WallStep::another_child);
}

TEST(Autorange, NoiseOfOtherGuestsIsNotSampledWhereItHidesTheStatement) {
  const WallPlan plan{.min_run_time_s = 0.1, .max_run_time_s = 1, .precision = 0.01};
  const auto spread = [](double by) {
    return std::vector<std::vector<double>>{{1.0}, {1 + by}, {1 - by}, {1 + by}, {1 - by}};
  };
  const auto after = [&](double by, double stolen) {
    return next_wall_step(plan, spread(by), {.measured_s = 0.1, .spent_s = 0.2, .steal_share = stolen});
  };
  // Five children within 1 % leave an interval of 1.4 %: five more would do, and there is time for twenty.
  EXPECT_EQ(after(0.011, 0.1), WallStep::another_child);
  EXPECT_EQ(after(0.1, 0.1), WallStep::stop);
  EXPECT_EQ(after(0.1, 0.01), WallStep::another_child) << "its own noise, which the time is for";
}

}  // namespace
}  // namespace tally
