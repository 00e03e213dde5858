#include "discovery/python_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan.h"

namespace tally {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Program kPytest{.framework = "pytest", .paths = {"bench"}, .folder = "/project"};

Result<Suite> listed(const std::string& lines, std::vector<std::string> arguments = {}) {
  Toolchain toolchain;
  toolchain.name = toolchain_of(kPytest);
  toolchain.own_host.args = std::move(arguments);
  toolchain.own_host.python = PythonProgram{kPytest.framework, kPytest.paths, kPytest.folder, {}, {}, {}};
  return suite_of_python_list(kPytest, std::move(toolchain), lines);
}

const std::string kTwoTests = R"(tallymark benchmarks 1
{"name": "bench/test_x.py::test_a[n=3]", "label": ["bench", "test_x.py::test_a[n=3]"]}
{"name": "bench/test_x.py::test_b['a/b']", "label": ["bench", "test_x.py::test_b['a/b']"]}
{"loaded": ["/project/x.py", "/project/y.so"], "own": {"x.py": "/project/x.py", "y.so": "/project/y.so"}, "packages": {"numpy 2.1": ["/n.py"]}, "none": ""}
)";

TEST(SuiteOfPythonList, IdsAreTheFrameworksOwn) {
  const auto suite = listed(kTwoTests);
  ASSERT_TRUE(suite) << suite.error().message;
  const auto plan = make_plan(*suite, {});
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->cases.size(), 2U);
  EXPECT_EQ(plan->cases[0].id, "bench/test_x.py::test_a[n=3]");
  EXPECT_EQ(plan->cases[0].stmt.text(), "bench/test_x.py::test_a[n=3]");
  // Safe between quotes in a shell, as all are.
  EXPECT_EQ(plan->cases[1].id, "bench/test_x.py::test_b[%27a%2Fb%27]");
  EXPECT_EQ(plan->cases[1].stmt.text(), "bench/test_x.py::test_b['a/b']");
  ASSERT_EQ(plan->toolchains.size(), 1U);
  const Toolchain& toolchain = plan->toolchains[0];
  EXPECT_TRUE(is_own_host(toolchain));
  EXPECT_EQ(toolchain.own_host.python->own.at("x.py"), "/project/x.py");
  EXPECT_THAT(toolchain.own_host.python->packages.at("numpy 2.1"), ElementsAre("/n.py"));
  EXPECT_THAT(toolchain.subject, ElementsAre("/project/y.so"));
}

TEST(SuiteOfPythonList, ParametersStandBesideTheLabelAndInTheId) {
  const auto suite = listed(R"list(tallymark benchmarks 1
{"name": "time_x(1, 'a')", "label": ["time_x"], "params": [["n", "1"], ["kind", "a"]], "id": ["time_x(1, 'a')"]}
{"name": "time_x(2, 'a')", "label": ["time_x"], "params": [["n", "2"], ["kind", "a"]], "id": ["time_x(2, 'a')"]}
{"name": "track_x", "label": ["track_x"], "reports": true}
)list");
  ASSERT_TRUE(suite) << suite.error().message;
  const auto plan = make_plan(*suite, {});
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->cases.size(), 3U);
  const Case& second = plan->cases[1];
  EXPECT_EQ(second.id, "time_x(2, %27a%27)");
  EXPECT_THAT(second.label, ElementsAre("time_x"));
  EXPECT_THAT(second.params, ElementsAre(std::pair("n", "2"), std::pair("kind", "a")));
  EXPECT_NE(second.digest, plan->cases[0].digest);
  EXPECT_FALSE(second.reports);
  EXPECT_TRUE(plan->cases[2].reports);
}

TEST(SuiteOfPythonList, AWholeCommandIsOneBesideTheOthers) {
  const auto lines = listed(R"list(tallymark benchmarks 1
{"name": "start", "label": ["start"], "command": ["python3", "-c", "${x}"], "folder": "/elsewhere", "environment": {"A": "1"}}
{"name": "call", "label": ["call"]}
)list");
  ASSERT_TRUE(lines) << lines.error().message;
  Suite suite;
  Program program = kPytest;
  program.options.settings.iterations = 7;
  ASSERT_TRUE(suite.add(program, *lines));
  const auto plan = make_plan(suite, {});
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->cases.size(), 2U);
  const Case& start = plan->cases[0];
  EXPECT_EQ(start.id, "start [command]");
  ASSERT_TRUE(start.command);
  EXPECT_THAT(start.command->run, ElementsAre("python3", "-c", "${x}"));
  EXPECT_EQ(start.command->folder, "/elsewhere");
  EXPECT_EQ(start.command->environment.at("A"), "1");
  EXPECT_EQ(start.settings.iterations, 1U);
  EXPECT_FALSE(plan->cases[1].command);
  EXPECT_EQ(plan->cases[1].settings.iterations, 7U);
}

TEST(SuiteOfPythonList, WhichTestsAreMeantIsNoPartOfADefinition) {
  const auto digest = [](std::vector<std::string> arguments) {
    const auto suite = listed(kTwoTests, std::move(arguments));
    return make_plan(*suite, {})->cases[0].digest;
  };
  EXPECT_EQ(digest({"-k", "a"}), digest({}));
  EXPECT_EQ(digest({"-ka", "--deselect=x", "-m", "slow"}), digest({}));
  EXPECT_NE(digest({"-W", "error"}), digest({}));
}

TEST(SuiteOfPythonList, WhatIsNoListIsRefusedWithTheProgram) {
  for (const auto& [lines, words] :
       {std::pair<std::string, std::string>{"", "ended before"},
        {"tallymark benchmarks 1\n", "has no benchmarks"},
        {"tallymark benchmarks 1\n{\"loaded\": [], \"none\": \"of 3 tests, none\"}\n", "of 3 tests, none"},
        {"tallymark benchmarks 1\nno json\n", "not a benchmark"}}) {
    const auto suite = listed(lines);
    ASSERT_FALSE(suite) << lines;
    EXPECT_EQ(suite.error().where, "pytest bench");
    EXPECT_THAT(suite.error().message, HasSubstr(words));
  }
}

}  // namespace
}  // namespace tally
