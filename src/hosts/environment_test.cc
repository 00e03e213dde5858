#include "hosts/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "build/resolve.h"
#include "definition/variable.h"
#include "process/real_runner.h"

namespace tally {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::Pair;
using testing::StartsWith;

class EnvironmentTest : public testing::Test {
 protected:
  Result<CapturedEnvironment> capture(const std::string& text, Milliseconds deadline = Milliseconds(20'000)) {
    return capture_environment(runner_, text, {{"PATH", "/usr/bin:/bin"}, {"BEFORE", "1"}}, "/usr", deadline);
  }
  std::string error(const std::string& text) { return describe(capture(text).error()); }

  RealProcessRunner runner_{TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor"};
};

TEST_F(EnvironmentTest, TakesWhatTheTextExports) {
  const Result<CapturedEnvironment> captured =
      capture("cd /usr/share; export NEW=$'a\\nb='\"$BEFORE\" PATH=; unset BEFORE; own=1");
  ASSERT_TRUE(captured) << describe(captured.error());
  EXPECT_EQ(captured->working_folder, "/usr/share");
  EXPECT_THAT(captured->variables, Contains(Pair("NEW", "a\nb=1")));
  EXPECT_THAT(captured->variables, Contains(Pair("PATH", "")));
  EXPECT_THAT(captured->variables, Not(Contains(Key("BEFORE"))));
  EXPECT_THAT(captured->variables, Not(Contains(Key("own"))));
  EXPECT_THAT(captured->variables, Not(Contains(Key("tally_text"))));
}

TEST_F(EnvironmentTest, ASourcedScriptSeesNoArgumentsAndMayBeLarge) {
  const std::string script = testing::TempDir() + "tally_activate";
  std::ofstream(script) << "export ARGUMENTS=$#\nexport LARGE=$(printf '%0100000d' 7)\n";
  const Result<CapturedEnvironment> captured = capture("source " + script);
  ASSERT_TRUE(captured) << describe(captured.error());
  EXPECT_THAT(captured->variables, Contains(Pair("ARGUMENTS", "0")));
  EXPECT_THAT(captured->variables, Contains(Pair("LARGE", testing::SizeIs(100'000))));
}

TEST_F(EnvironmentTest, SaysWhyTheTextFailed) {
  EXPECT_THAT(error("source /no/venv/bin/activate"),
              testing::AllOf(StartsWith("source /no/venv/bin/activate: the environment command exited with code 1:\n"),
                             HasSubstr("/no/venv/bin/activate: No such file or directory")));
  EXPECT_THAT(error("echo first >&2; (exit 5)"), HasSubstr("exited with code 5:\nfirst"));
  EXPECT_THAT(error("set -e; false; true"), HasSubstr("exited with code 1"));
  EXPECT_THAT(error("export A='open"), HasSubstr("unexpected EOF while looking for matching"));
  EXPECT_THAT(error("exit 0"), HasSubstr("leave out the exit"));
  EXPECT_THAT(describe(capture("sleep 100", Milliseconds(200)).error()), HasSubstr("timed out after 0.2 s"));
}

TEST_F(EnvironmentTest, WhatTheTextLeavesRunningIsKilled) {
  const Result<CapturedEnvironment> captured = capture("setsid sleep 1000 & export DAEMON=$!");
  ASSERT_TRUE(captured) << describe(captured.error());
  for (const auto& [name, value] : captured->variables) {
    if (name == "DAEMON") EXPECT_FALSE(std::filesystem::exists("/proc/" + value));
  }
}

TEST(FilterEnvironment, KeepsWhatIsListedInAFixedOrder) {
  const EnvironmentVariables environment{{"USER", "u"},        {"OMP_NUM_THREADS", "2"}, {"OMP_WAIT_POLICY", "active"},
                                         {"PATH", "/bin"},     {"HOME", "/home/u"},      {"PYTHONHASHSEED", "5"},
                                         {"MY_LIB_A", "a"},    {"MY_LIB_B", "b"},        {"LD_PRELOAD", "x.so"},
                                         {"TZ", "Asia/Tokyo"}, {"PATH", "/usr/bin"},     {"KMP_BLOCKTIME", "200"}};
  EXPECT_THAT(filter_environment(environment, {}),
              ElementsAre(Pair("KMP_BLOCKTIME", "200"), Pair("LC_ALL", "C.UTF-8"), Pair("MKL_DYNAMIC", "FALSE"),
                          Pair("OMP_DYNAMIC", "false"), Pair("OMP_NUM_THREADS", "2"),
                          Pair("OMP_WAIT_POLICY", "passive"), Pair("OPENBLAS_NUM_THREADS", "1"),
                          Pair("PATH", "/usr/bin"), Pair("PYTHONHASHSEED", "0"), Pair("TZ", "UTC")));
  const std::vector<std::string> keep{"MY_LIB_*", "PYTHONHASHSEED", "T*"};
  EXPECT_THAT(filter_environment(environment, keep),
              ElementsAre(Key("KMP_BLOCKTIME"), Key("LC_ALL"), Key("MKL_DYNAMIC"), Pair("MY_LIB_A", "a"),
                          Pair("MY_LIB_B", "b"), Key("OMP_DYNAMIC"), Key("OMP_NUM_THREADS"), Key("OMP_WAIT_POLICY"),
                          Key("OPENBLAS_NUM_THREADS"), Key("PATH"), Pair("PYTHONHASHSEED", "5"), Pair("TZ", "UTC")));
}

TEST(FilterEnvironment, TeamsWaitAsTheirLibrariesHaveItWhereTimeIsTaken) {
  const auto waiting = [](const EnvironmentVariables& environment, const std::vector<std::string>& keep,
                          MeasuredFor use) {
    EnvironmentVariables out = filter_environment(environment, keep, use);
    std::erase_if(out, [](const auto& one) {
      return !one.first.contains("WAIT") && !one.first.contains("SPIN") && !one.first.contains("BLOCK");
    });
    return out;
  };
  EXPECT_THAT(waiting({}, {}, MeasuredFor::counts),
              ElementsAre(Pair("KMP_BLOCKTIME", "0"), Pair("OMP_WAIT_POLICY", "passive")));
  EXPECT_THAT(
      waiting({}, {}, MeasuredFor::times),
      ElementsAre(Pair("GOMP_SPINCOUNT", "300000"), Pair("KMP_BLOCKTIME", "200"), Pair("OMP_WAIT_POLICY", "active")));
  EXPECT_THAT(
      waiting({{"GOMP_SPINCOUNT", "7"}}, {}, MeasuredFor::times),
      ElementsAre(Pair("GOMP_SPINCOUNT", "7"), Pair("KMP_BLOCKTIME", "200"), Pair("OMP_WAIT_POLICY", "active")));
  EXPECT_THAT(waiting({{"OMP_WAIT_POLICY", "passive"}}, {"OMP_WAIT_POLICY"}, MeasuredFor::times),
              ElementsAre(Pair("OMP_WAIT_POLICY", "passive")));
}

TEST(FilterEnvironment, WhatItSetsOrTakesFromTheUsersShellIsNotForToolchainsToSay) {
  std::vector<std::string> names{"PATH",           "LD_LIBRARY_PATH", "PYTHONPATH",
                                 "PYTHONSAFEPATH", "VIRTUAL_ENV",     "CONDA_PREFIX"};
  for (const MeasuredFor use : {MeasuredFor::counts, MeasuredFor::times})
    for (const auto& [name, value] : filter_environment({}, {}, use)) names.push_back(name);
  for (const std::string& name : names) EXPECT_FALSE(check_variable(name, "x")) << name;
  EXPECT_TRUE(check_variable("MKL_THREADING_LAYER", "GNU"));
}

TEST(WithVariables, TheUsersOwnComeFirstAndTheOrderIsFixed) {
  const std::map<std::string, std::string> own{{"MKL_THREADING_LAYER", "GNU"}, {"A", "1"}};
  using testing::Pair;
  EXPECT_THAT(with_first({}, "LD_PRELOAD", "/ours.so"), testing::ElementsAre(Pair("LD_PRELOAD", "/ours.so")));
  EXPECT_THAT(with_first({{"LD_PRELOAD", "/a.so:/b.so"}}, "LD_PRELOAD", "/ours.so"),
              testing::ElementsAre(Pair("LD_PRELOAD", "/ours.so:/a.so:/b.so")));
  EXPECT_THAT(with_variables({{"PATH", "/bin"}, {"TZ", "UTC"}}, own),
              ElementsAre(Pair("A", "1"), Pair("MKL_THREADING_LAYER", "GNU"), Pair("PATH", "/bin"), Pair("TZ", "UTC")));
  EXPECT_THAT(with_variables({{"MKL_THREADING_LAYER", "TBB"}}, own),
              ElementsAre(Pair("A", "1"), Pair("MKL_THREADING_LAYER", "TBB")));
}

TEST(FilterEnvironment, ReadsEntriesAsEnvironHasThem) {
  const std::vector<std::string> entries{"B=1=2", "A=", "nothing", "=C:", "B=3"};
  EXPECT_THAT(parse_environment(entries), ElementsAre(Pair("A", ""), Pair("B", "3")));
}

}  // namespace
}  // namespace tally
