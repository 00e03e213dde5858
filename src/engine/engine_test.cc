/// Plans executed on fake hosts: what becomes of cases when hosts are lost, hang or lie, and when somebody interrupts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "engine/testing/engine_fixture.h"
#include "protocol/case_watch.h"

namespace tally {
namespace {

using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(EngineTest, CountsAndTimesEveryCase) {
  add_cases(3);
  hosts_.on_case = [](const FakeRequest&) { return FakeCase{.baseline = {1000}, .counts = {6000}}; };
  const ExecutionResult result = run();
  EXPECT_FALSE(result.interrupted);
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::ok, 3}}));
  for (const auto& [index, outcome] : witness_.outcomes) {
    ASSERT_TRUE(outcome.counts);
    EXPECT_THAT(outcome.counts->replicates, ElementsAre(ElementsAre(6000), ElementsAre(6000)));
    EXPECT_THAT(outcome.counts->baseline, ElementsAre(ElementsAre(1000)));
    ASSERT_TRUE(outcome.wall);
    EXPECT_GE(outcome.wall->by_child.size(), 5U);
    ASSERT_TRUE(outcome.allocations);
    EXPECT_EQ(outcome.allocations->count, 2 * outcome.allocations->iterations);
    EXPECT_FALSE(outcome.profiles.statement.empty());
  }
  EXPECT_THAT(witness_.processes, ElementsAre("Python host of python under Valgrind", "Python host of python"));
  EXPECT_EQ(witness_.begun, witness_.ended);
  EXPECT_EQ(pool_.size(), 0U);
  EXPECT_THAT(runner_.watched, IsEmpty());
}

TEST_F(EngineTest, TimesWaitForOthersAndSaySoAndCountsDoNot) {
  add_cases(2);
  settings_.max_wait_s = 30;
  CpuLeases others = plain_cpus(4, folder_ + "/cpus");
  const auto all = others.try_lease({.count = 4});
  ASSERT_TRUE(all && *all);
  const Clock::time_point start = runner_.now();
  const ExecutionResult result = run();
  ASSERT_TRUE(result.stopped);
  EXPECT_EQ(result.stopped->kind, ErrorKind::failed);
  EXPECT_EQ(result.stopped->message,
            "times have waited for CPUs for 30 s, which is the most: this process has CPU 0-3");
  EXPECT_GE(runner_.now() - start, seconds(30));
  // After a second, and every ten.
  ASSERT_THAT(witness_.warnings, SizeIs(3));
  EXPECT_EQ(witness_.warnings[0], "waiting for CPUs to take times on: this process has CPU 0-3");
  EXPECT_EQ(witness_.begun, 2U) << "what counts was begun";
  EXPECT_FALSE(others.is_waiting());
  CpuLeases late = plain_cpus(4, folder_ + "/cpus");
  std::ignore = late.try_lease({.count = 1});
  EXPECT_EQ(late.waited_for().find("goes first"), std::string::npos) << "who has given up stands in nobody's way";
}

TEST_F(EngineTest, ABenchmarksOwnRunTimesAreTaken) {
  add_cases(2);
  settings_.counts = false;
  cases_[1].settings.min_run_time = seconds(3);
  // A block of 1,000 executions of 1 ms each: a second.
  hosts_.on_case = [](const FakeRequest&) { return FakeCase{.seconds = {1e-3}, .blocks = 1}; };
  run();
  const auto seconds_of = [this](std::size_t index) {
    const WallSamples& wall = *witness_.outcomes[index].wall;
    return static_cast<double>(wall.by_child.size()) * static_cast<double>(wall.number_per_run) * 1e-3;
  };
  EXPECT_LT(seconds_of(0), 2.5) << "half a second at the most, by default, and two children at the least";
  EXPECT_GE(seconds_of(1), 3);
}

TEST_F(EngineTest, ReplicatesThatDifferAreFollowedByOthersInFurtherSessions) {
  add_cases(1);
  settings_.wall = false;
  hosts_.on_case = [](const FakeRequest& request) {
    return FakeCase{.counts = {6000 + 10 * static_cast<std::uint64_t>(request.attempt), 7000}, .forks = false};
  };
  run();
  ASSERT_THAT(witness_.outcomes, SizeIs(1));
  EXPECT_THAT(witness_.outcomes[0].counts->replicates, SizeIs(5)) << "max_replicates";
  EXPECT_EQ(witness_.planned[Mode::counts], 5U);
}

TEST_F(EngineTest, CasesThatMayShareAFileAreCountedOneAtATimeAndAgainWhereTheyWereNot) {
  add_cases(6);
  settings_.wall = false;
  std::map<std::string, int> sessions;
  // The first one changes a file, and says so when the short ones beside it have long ended.
  hosts_.on_case = [&](const FakeRequest& request) {
    ++sessions[request.statement];
    const bool first = request.statement == "statement 0";
    // What is read of a file that another case writes meanwhile.
    const std::uint64_t count = sessions[request.statement] > 1 ? 6000 : 1;
    return FakeCase{.counts = {count},
                    .changed_file = first ? "scratch" : "",
                    .setup_takes = first ? Milliseconds(1000) : Milliseconds(10)};
  };
  run();
  EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::ok, 6}}));
  for (const auto& [index, outcome] : witness_.outcomes) {
    EXPECT_THAT(outcome.counts->replicates, ElementsAre(ElementsAre(6000), ElementsAre(6000))) << index;
    EXPECT_THAT(outcome.attempts, SizeIs(1)) << "what was spoilt is no attempt";
  }
  EXPECT_THAT(witness_.warnings,
              ElementsAre("case 0 changes the file scratch: cases that may share it are counted one at a time from "
                          "now on"));
}

TEST_F(EngineTest, FiveHundredCasesHaveAResultWhenHostsDie) {
  add_cases(500);
  hosts_.on_host = [](const ProcessRequest&, std::size_t) { return FakeHostScript{.dies_at = 40}; };
  const ExecutionResult result = run();
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::ok, 500}}));
  EXPECT_GT(hosts_.started, 20U);
  std::size_t lost = 0;
  for (const auto& [index, outcome] : witness_.outcomes) {
    lost += static_cast<std::size_t>(std::ranges::count(outcome.attempts, Ending::host_lost, &CaseAttempt::ending));
    EXPECT_LE(outcome.attempts.size(), 6U);
  }
  EXPECT_GE(lost, hosts_.started - 2) << "each host that died cost somebody an attempt";
}

TEST_F(EngineTest, ACaseThatKillsEachOfItsHostsIsGivenUpAfterThreeAndCostsOthersNothingButAttempts) {
  add_cases(8);
  use_cpus(1);  // one case at a time
  settings_.wall = false;
  hosts_.on_host = [](const ProcessRequest&, std::size_t nth) {
    // Case 5 is the sixth request of the first host, and the first one of those after it.
    return FakeHostScript{.dies_at = nth == 0 ? 6U : nth <= 2 ? 1U : 0U};
  };
  run();
  EXPECT_EQ(endings()[Ending::ok] + endings()[Ending::host_lost], 8U);
  EXPECT_EQ(endings()[Ending::host_lost], 1U);
  for (const auto& [index, outcome] : witness_.outcomes) {
    if (outcome.ending != Ending::host_lost) continue;
    EXPECT_THAT(outcome.attempts, SizeIs(3));
    ASSERT_TRUE(outcome.failure);
    EXPECT_EQ(outcome.failure->stage, "host");
  }
}

TEST_F(EngineTest, WhatHangsIsStoppedStepByStepAndTriedAgain) {
  add_cases(2);
  settings_.wall = false;
  settings_.timeout_s = 10;
  hosts_.on_case = [](const FakeRequest& request) {
    FakeCase script;
    if (request.statement.contains("statement 0")) {
      script.ignores = {SIGINT, SIGTERM};
      script.trouble = FakeTrouble{.kind = FakeTrouble::Kind::hangs, .at = protocol::Stage::setup};
    }
    return script;
  };
  const Clock::time_point start = runner_.now();
  run();
  EXPECT_EQ(witness_.outcomes[1].ending, Ending::ok);
  const CaseOutcome& hung = witness_.outcomes[0];
  EXPECT_EQ(hung.ending, Ending::timed_out);
  EXPECT_THAT(hung.attempts, SizeIs(2));
  EXPECT_EQ(hung.failure->message, "timed out after 10 s");
  EXPECT_THAT(witness_.warnings, ElementsAre("case 0: timed out after 10 s, at attempt 1 of 2; it is tried again"));
  EXPECT_EQ(hung.failure->stage, "setup");
  EXPECT_THAT(stopping_signals(), ElementsAre(SIGINT, SIGTERM, SIGKILL, SIGINT, SIGTERM, SIGKILL));
  EXPECT_GE(runner_.now() - start, seconds(22));
  EXPECT_LE(runner_.now() - start, seconds(23));
}

/// The first case hangs, beside processes that keep it from a processor for `waited` of its time.
class EngineOnABusyMachine : public EngineTest {
 protected:
  double seconds_to_timeout(Milliseconds waited) {
    add_cases(1);
    settings_.wall = false;
    settings_.retries = 0;
    hosts_.on_case = [](const FakeRequest& /*request*/) {
      return FakeCase{.trouble = FakeTrouble{.kind = FakeTrouble::Kind::hangs, .at = protocol::Stage::setup}};
    };
    const Clock::time_point start = runner_.now();
    runner_.child_queued = [this, start, waited](int /*pid*/) {
      return std::min(std::chrono::duration_cast<Milliseconds>(runner_.now() - start), waited);
    };
    run();
    return witness_.outcomes[0].attempts.at(0).seconds;
  }
};

TEST_F(EngineOnABusyMachine, WaitingForAProcessorDoesNotCountForADeadline) {
  EXPECT_NEAR(seconds_to_timeout(seconds(120)), 420, 1);
  EXPECT_EQ(witness_.outcomes[0].failure->message, "timed out after 300 s and 120 s of waiting for a processor");
}

TEST_F(EngineOnABusyMachine, ACaseThatWaitsForEverIsStopped) {
  EXPECT_NEAR(seconds_to_timeout(seconds(1'000'000)), 1200, 1);
}

TEST_F(EngineOnABusyMachine, ALimitThatWasSetIsOneByTheClock) {
  settings_.timeout_s = 30;
  EXPECT_NEAR(seconds_to_timeout(seconds(120)), 30, 1);
}

TEST_F(EngineTest, ACaseIsTriedAgainAsOftenAsItsBenchmarkSays) {
  add_cases(2);
  settings_.wall = false;
  settings_.timeout_s = 1;
  cases_[1].settings.retries = 2;
  hosts_.on_case = [](const FakeRequest& request) {
    FakeCase played;
    if (request.attempt < 2)
      played.trouble = FakeTrouble{.kind = FakeTrouble::Kind::hangs, .at = protocol::Stage::setup};
    return played;
  };
  run();
  EXPECT_EQ(witness_.outcomes[0].ending, Ending::timed_out);
  EXPECT_THAT(witness_.outcomes[0].attempts, SizeIs(2));
  EXPECT_EQ(witness_.outcomes[1].ending, Ending::ok);
  EXPECT_THAT(witness_.outcomes[1].attempts, SizeIs(3));
}

/// On a busy machine, or with a library whose start is long, two minutes are soon over. Here it has half of a CPU, up
/// to the ten minutes of processor time that none needs.
TEST_F(EngineTest, TooMuchMemoryIsKilledAtOnceAndNotTriedAgain) {
  add_cases(1);
  settings_.wall = false;
  settings_.memory_bytes = 1 << 20;
  hosts_.on_case = [](const FakeRequest&) {
    return FakeCase{.growth_bytes = 1 << 21,
                    .trouble = FakeTrouble{.kind = FakeTrouble::Kind::hangs, .at = protocol::Stage::setup}};
  };
  run();
  EXPECT_EQ(witness_.outcomes[0].ending, Ending::failed);
  EXPECT_THAT(witness_.outcomes[0].failure->message, HasSubstr("over memory: it may use 1 MiB"));
  EXPECT_THAT(stopping_signals(), ElementsAre(SIGKILL));
}

TEST_F(EngineTest, AnInterruptionLetsWhatRunsFinishAndIsNoResultForTheRest) {
  add_cases(20);
  settings_.wall = false;
  hosts_.on_case = [](const FakeRequest&) { return FakeCase{.setup_takes = Milliseconds(400)}; };
  runner_.inject(Interrupted{1}, Milliseconds(1000));
  const ExecutionResult result = run();
  EXPECT_TRUE(result.interrupted);
  EXPECT_GE(witness_.outcomes.size(), 4U);
  EXPECT_LT(witness_.outcomes.size(), 20U);
  for (const auto& [index, outcome] : witness_.outcomes) EXPECT_EQ(outcome.ending, Ending::ok);
  EXPECT_EQ(pool_.size(), 0U);
}

TEST_F(EngineTest, AnInterruptedCaseThatLacksItsTimesIsNoResult) {
  add_cases(1);
  use_cpus(1);
  hosts_.on_case = [](const FakeRequest&) { return FakeCase{.setup_takes = Milliseconds(1000)}; };
  runner_.inject(Interrupted{1}, Milliseconds(500));
  EXPECT_TRUE(run().interrupted);
  EXPECT_THAT(witness_.outcomes, IsEmpty());
}

TEST_F(EngineTest, WhatCannotBeKeptStopsTheRun) {
  add_cases(50);
  settings_.wall = false;
  witness_.refuses_after = 3;
  const ExecutionResult result = run();
  ASSERT_TRUE(result.stopped);
  EXPECT_EQ(result.stopped->message, "disk full");
  EXPECT_LT(witness_.outcomes.size(), 50U);
  EXPECT_EQ(pool_.size(), 0U);
}

TEST_F(EngineTest, ANoiseFloorCountsOnceUnderEachPerturbationAndSharesTheHostWhereItMay) {
  add_cases(2);
  settings_.wall = false;
  settings_.noise_floor = true;
  run();
  ASSERT_THAT(witness_.outcomes, SizeIs(2));
  EXPECT_THAT(witness_.outcomes[0].perturbed, SizeIs(8));
  EXPECT_EQ(hosts_.started, 3U) << "one more for the hash seed, one for the environment";
}

TEST_F(EngineTest, ACaseWithForeignThreadsIsHeldAgainstASecondProcess) {
  add_cases(2);
  settings_.wall = false;
  hosts_.on_case = [](const FakeRequest& request) {
    // The second host's memory is another.
    return FakeCase{.counts = {request.host == 0 ? 6000U : 6100U},
                    .threads = request.statement == "statement 0" ? 3U : 1U};
  };
  run();
  ASSERT_THAT(witness_.outcomes, SizeIs(2));
  EXPECT_EQ(hosts_.started, 2U);
  std::size_t held = 0;
  for (const auto& [index, outcome] : witness_.outcomes) {
    if (outcome.counted.doubt.empty()) {
      EXPECT_THAT(outcome.counted.hosts, SizeIs(1));
      EXPECT_THAT(outcome.counts->replicates, SizeIs(2));
      continue;
    }
    ++held;
    EXPECT_EQ(outcome.counted.doubt, "it has 3 threads");
    EXPECT_THAT(outcome.counted.hosts, SizeIs(2));
    EXPECT_THAT(outcome.counts->replicates, SizeIs(3));
    EXPECT_EQ(outcome.counts->replicates.back().front(), 6100U);
  }
  EXPECT_EQ(held, 1U);
}

/// Each process of the same host reads another time. Where the count follows it, as many are counted as the plan
/// allows.
TEST_F(EngineTest, ACaseThatReadsAClockIsHeldAgainstOtherProcessesOfItsHost) {
  add_cases(2);
  settings_.wall = false;
  std::map<std::string, std::uint64_t> sessions;
  hosts_.on_case = [&](const FakeRequest& request) {
    const std::uint64_t session = sessions[request.statement]++;
    return FakeCase{.counts = {request.statement == "statement 0" ? 6000 + 100 * session : 6000},
                    .requested = host::kClock};
  };
  run();
  ASSERT_THAT(witness_.outcomes, SizeIs(2));
  EXPECT_EQ(hosts_.started, 1U);
  EXPECT_EQ(sessions["statement 0"], 4U);
  EXPECT_EQ(sessions["statement 1"], 2U);
  for (const auto& [index, outcome] : witness_.outcomes) {
    const bool varies = outcome.counts->replicates.back().front() != 6000;
    EXPECT_EQ(outcome.counted.doubt, "it reads a clock");
    EXPECT_THAT(outcome.counted.hosts, SizeIs(1));
    EXPECT_EQ(outcome.counted.other_sessions, varies ? 3 : 1);
    EXPECT_THAT(outcome.counts->replicates, SizeIs(varies ? 5 : 3));
  }
}

TEST_F(EngineTest, ACaseThatReadsTheTimeOfDayIsCountedInAnotherSecond) {
  add_cases(1);
  settings_.wall = false;
  hosts_.on_case = [](const FakeRequest&) { return FakeCase{.requested = host::kTimeOfDay}; };
  run();
  const CaseOutcome& outcome = witness_.outcomes[0];
  ASSERT_THAT(outcome.attempts, SizeIs(2));
  EXPECT_GE(outcome.attempts[1].started_s - outcome.attempts[0].started_s, 1);
  EXPECT_TRUE(outcome.counted.reads_time_of_day);
  EXPECT_EQ(outcome.counted.other_sessions, 1);
  EXPECT_EQ(hosts_.started, 1U);
}

TEST_F(EngineTest, ASecondProcessThatFailsLeavesWhatTheFirstHasSaid) {
  add_cases(1);
  settings_.wall = false;
  hosts_.on_case = [](const FakeRequest& request) {
    FakeCase one{.threads = 2};
    if (request.host == 1) one.trouble = FakeTrouble{.message = "no such device"};
    return one;
  };
  run();
  EXPECT_EQ(witness_.outcomes[0].ending, Ending::ok);
  EXPECT_THAT(witness_.outcomes[0].counts->replicates, SizeIs(2));
  EXPECT_THAT(witness_.outcomes[0].counted.hosts, SizeIs(1));
  EXPECT_THAT(witness_.outcomes[0].warnings,
              Contains(HasSubstr("whether another process counts the same is not known")));
}

TEST_F(EngineTest, AnExaminationReportsWhatStatementsLeave) {
  add_cases(1);
  examiner_ = "report()";
  hosts_.on_case = [](const FakeRequest& request) {
    EXPECT_TRUE(request.examined);
    return FakeCase{.results = {"x = 1"}};
  };
  run();
  ASSERT_TRUE(witness_.outcomes[0].result);
  EXPECT_EQ(witness_.outcomes[0].result->text, "x = 1");
  EXPECT_FALSE(witness_.outcomes[0].counts);
}

}  // namespace
}  // namespace tally
