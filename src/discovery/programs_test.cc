#include "discovery/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "plan/plan.h"
#include "process/testing/fake_runner.h"

namespace tally {
namespace {

using testing::HasSubstr;

TEST(SuiteOfList, EachLineIsABenchmarkAndEachArgumentAParameter) {
  const auto suite = suite_of_list("/build/bench", "", "tallymark benchmarks 1\nsort\tn=64,1000\targ1=-2\nplain one\n");
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

/// Names of a program are no code: "//" is no comment, and what is open in it stays open.
TEST(SuiteOfList, ANameIsTakenAsItIs) {
  const std::vector<std::string> names = {
      "//", "/* x", "#", "[]{}", "jeopardy / -", "a//b", "/", std::string(4000, 'x'), "größe/π"};
  std::string list = "tallymark benchmarks 1\n";
  for (const std::string& name : names) list += name + "\n";
  const auto suite = suite_of_list("/build/bench", "", list);
  ASSERT_TRUE(suite) << suite.error().message;
  const auto plan = make_plan(*suite, {});
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->cases.size(), names.size());
  EXPECT_EQ(plan->cases[0].id, "bench/%2F%2F [cpp]");
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(plan->cases[i].stmt.text(), names[i]);
  }
}

TEST(SuiteOfList, WhatIsNoListIsRefusedWithTheProgram) {
  for (const char* wrong : {"", "usage: prog\n", "tallymark benchmarks 1\n", "tallymark benchmarks 2\nsort\n"}) {
    const auto suite = suite_of_list("/build/bench", "", wrong);
    ASSERT_FALSE(suite) << wrong;
    EXPECT_EQ(suite.error().where, "/build/bench");
  }
  const auto none = suite_of_list("/build/bench", "", "tallymark benchmarks 1\n");
  EXPECT_EQ(none.error().message, "has no benchmarks");
  EXPECT_THAT(none.error().hint, HasSubstr("choose others by arguments of its own"));
  EXPECT_FALSE(suite_of_list("/build/bench", "", "tallymark benchmarks 1\nsort\tn=1\nsort\tn=2\n"));
  EXPECT_FALSE(suite_of_list("/build/bench", "", "tallymark benchmarks 1\nsort\tthreads=1\n"));
}

/// A program of Catch2 or nanobench runs for its list, and its tests may take long.
TEST(SuiteOfProgram, ATimeOutSaysHowToListLess) {
  FakeProcessRunner runner;
  runner.play = [](const ProcessRequest&) { return ScriptedProcess{.takes = std::nullopt}; };
  const auto suite = suite_of_program(runner, {.path = "/bin/sh"}, {.working_folder = "/"}, "/libexec");
  ASSERT_FALSE(suite);
  EXPECT_EQ(suite.error().where, "/bin/sh");
  EXPECT_THAT(suite.error().message, HasSubstr("does not list its benchmarks: timed out"));
  EXPECT_THAT(suite.error().hint, HasSubstr("choose fewer by arguments of its own"));
}

/// What it does afterwards says nothing about the list.
TEST(SuiteOfProgram, AListStandsHoweverTheProgramEnds) {
  FakeProcessRunner runner;
  runner.play = [](const ProcessRequest& request) {
    const std::string_view list = "tallymark benchmarks 1\nsort\n";
    EXPECT_EQ(::write(request.pass_fds.front().fd.get(), list.data(), list.size()), static_cast<ssize_t>(list.size()));
    return ScriptedProcess{.result = {.outcome = Signaled{.signal = SIGABRT}}};
  };
  const auto suite = suite_of_program(runner, {.path = "/bin/sh"}, {.working_folder = "/"}, "/libexec");
  ASSERT_TRUE(suite) << describe(suite.error());
  EXPECT_EQ(suite->definitions().size(), 1U);
}

}  // namespace
}  // namespace tally
