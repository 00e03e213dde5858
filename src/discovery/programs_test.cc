#include "discovery/programs.h"

#include <gtest/gtest.h>

#include "plan/plan.h"

namespace tally {
namespace {

TEST(SuiteOfList, EachLineIsABenchmarkAndEachArgumentAParameter) {
  const auto suite = suite_of_list("/build/bench", "tallymark benchmarks 1\nsort\tn=64,1000\targ1=-2\nplain one\n");
  ASSERT_TRUE(suite) << suite.error().message;
  const auto plan = make_plan(*suite, {});
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->cases.size(), 3U);
  EXPECT_EQ(plan->cases[0].id, "bench/sort [cpp n=64 arg1=-2]");
  EXPECT_EQ(plan->cases[0].stmt.text(), "sort/64/-2");
  EXPECT_EQ(plan->cases[1].id, "bench/sort [cpp n=1000 arg1=-2]");
  EXPECT_EQ(plan->cases[2].id, "bench/plain one [cpp]");
  ASSERT_EQ(plan->toolchains.size(), 1U);
  EXPECT_EQ(plan->toolchains[0].own_host.executable, "/build/bench");
}

TEST(SuiteOfList, WhatIsNoListIsRefusedWithTheProgram) {
  for (const char* wrong : {"", "usage: prog\n", "tallymark benchmarks 1\n", "tallymark benchmarks 2\nsort\n"}) {
    const auto suite = suite_of_list("/build/bench", wrong);
    ASSERT_FALSE(suite) << wrong;
    EXPECT_EQ(suite.error().where, "/build/bench");
  }
  EXPECT_FALSE(suite_of_list("/build/bench", "tallymark benchmarks 1\nsort\tn=1\nsort\tn=2\n"));
  EXPECT_FALSE(suite_of_list("/build/bench", "tallymark benchmarks 1\nsort\tthreads=1\n"));
}

}  // namespace
}  // namespace tally
