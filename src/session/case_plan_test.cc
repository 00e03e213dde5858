#include "session/case_plan.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

using std::chrono::seconds;

TEST(CasePlan, WhatABenchmarkSaysComesBeforeTheRunsSettings) {
  const Settings settings{.iterations = 200, .replicates = 3, .memory_bytes = 1000};
  CaseSettings own;
  EXPECT_EQ(case_plan(settings, own).iterations, 200U);
  EXPECT_EQ(case_plan(settings, own).memory_bytes, 1000U);
  EXPECT_TRUE(case_plan(settings, own).exact_iterations);
  EXPECT_FALSE(case_plan({}, own).exact_iterations) << "nobody asks: a heavy case of a program may have fewer";
  EXPECT_TRUE(case_plan({.iterations = kUsualIterations}, own).exact_iterations);
  own = {.timeout = seconds(7), .iterations = 5, .replicates = 9, .memory_bytes = 2000};
  const CasePlan plan = case_plan(settings, own);
  EXPECT_EQ(plan.iterations, 5U);
  EXPECT_EQ(plan.replicates, 9);
  EXPECT_EQ(plan.max_replicates, 9);
  EXPECT_EQ(plan.memory_bytes, 2000U);
  EXPECT_EQ(plan.native_deadline, seconds(7));
  EXPECT_EQ(plan.counted_deadline, seconds(7));
  EXPECT_EQ(plan.counted_wait, seconds(0)) << "a limit that was set is one by the clock";
  EXPECT_EQ(case_plan({.timeout_s = 8}, {}).counted_wait, seconds(0));
}

TEST(CasePlan, ABenchmarksRetriesComeBeforeThoseOfTheRun) {
  EXPECT_EQ(retry_limits({}).after_timeout, 1);
  EXPECT_EQ(retry_limits({}).after_lost_host, 2);
  EXPECT_EQ(retry_limits({.retries = 5}).after_timeout, 5);
  EXPECT_EQ(retry_limits({.retries = 5}, {.retries = 0}).after_timeout, 0);
  EXPECT_EQ(retry_limits({}, {.retries = 7}).after_lost_host, 7);
}

TEST(CasePlan, ABenchmarksRunTimesAndPrecisionAreUsed) {
  const Settings settings;
  EXPECT_DOUBLE_EQ(case_plan(settings, {.min_run_time = seconds(3)}).wall.min_run_time_s, 3);
  EXPECT_DOUBLE_EQ(case_plan(settings, {.min_run_time = seconds(3)}).wall.max_run_time_s, 3);
  EXPECT_DOUBLE_EQ(case_plan(settings, {.max_run_time = seconds(2)}).wall.max_run_time_s, 2);
  const CasePlan brief = case_plan(settings, {.max_run_time = Milliseconds(10)});
  EXPECT_DOUBLE_EQ(brief.wall.max_run_time_s, 0.01);
  EXPECT_DOUBLE_EQ(brief.wall.min_run_time_s, 0.01);
  EXPECT_DOUBLE_EQ(case_plan(settings, {.precision = 0.002}).wall.precision, 0.002);
}

TEST(CasePlan, ALongMeasurementIsNotTimedOutByTheUsualDeadline) {
  const CasePlan plan = case_plan({}, {.min_run_time = seconds(100)});
  EXPECT_GT(plan.native_deadline, seconds(400));
  EXPECT_EQ(plan.counted_deadline, seconds(300));
  EXPECT_EQ(plan.counted_wait, seconds(900));
}

TEST(CasePlan, InterleavedTimesAreThoseOfOneTurnInThree) {
  Settings settings{.min_run_time_s = 0.3, .max_run_time_s = 3, .interleave = true, .repeat = 2};
  EXPECT_EQ(wall_turns(settings), 6);
  EXPECT_DOUBLE_EQ(case_plan(settings, {}).wall.min_run_time_s, 0.1);
  EXPECT_DOUBLE_EQ(case_plan(settings, {}).wall.max_run_time_s, 1);
  settings.interleave = false;
  EXPECT_EQ(wall_turns(settings), 2);
  EXPECT_DOUBLE_EQ(case_plan(settings, {}).wall.min_run_time_s, 0.3);
}

TEST(CasePlan, AHostThatMustStartSoonMustAlsoForkSoon) {
  EXPECT_EQ(host_deadlines({}).start, seconds(120));
  EXPECT_EQ(host_deadlines({}).fork, seconds(20));
  EXPECT_EQ(host_deadlines({.host_timeout_s = 5}).fork, seconds(5));
  EXPECT_EQ(host_deadlines({.host_timeout_s = 500}).fork, seconds(20));
}

}  // namespace
}  // namespace tally
