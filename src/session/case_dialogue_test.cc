#include "session/case_dialogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "measurement/statistics.h"
#include "session/case_failure.h"

namespace tally {
namespace {

using protocol::Phase;
using protocol::Stage;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// Answers and questions, without anybody on the other side.
class CaseDialogueTest : public ::testing::Test {
 protected:
  CaseDialogueTest() { case_.language = Language::python; }

  CaseDialogue begin(Mode mode) {
    return CaseDialogue({.measured = &case_,
                         .toolchain = &toolchain_,
                         .mode = mode,
                         .plan = case_plan(settings_, {}),
                         .perturbation = perturbation_,
                         .replicates = 2,
                         .forks_all = forks_all_,
                         .counts_allocations = settings_.counts,
                         .waits_for_end = waits_for_end_,
                         .timer_overhead_s = 1e-8});
  }
  /// The empty loop is timed; the statement comes.
  CaseDialogue begin_after_the_loop() {
    CaseDialogue dialogue = begin(Mode::wall);
    dialogue.on(PhaseReady{Phase::baseline});
    dialogue.on(timed(1e-9));
    return dialogue;
  }
  static RegionCounted counted(std::uint64_t instructions, bool own = false) {
    return {.own = own, .iterations = 100, .totals = Totals{{"Ir"}, {instructions}}, .dump = "text"};
  }
  static ChildTimed timed(double each_s, std::size_t samples = 10) {
    // A block of 0.1 ms at the least.
    const auto number = std::max<std::uint64_t>(1000, static_cast<std::uint64_t>(1e-4 / each_s));
    return {.number = number, .samples_s = std::vector<double>(samples, each_s)};
  }
  static AskCount count_of(const std::optional<CaseCommand>& command) { return std::get<AskCount>(command.value()); }
  static AskTimes times_of(const std::optional<CaseCommand>& command) { return std::get<AskTimes>(command.value()); }
  static bool advances(const std::optional<CaseCommand>& command) {
    return command && std::holds_alternative<Advance>(*command);
  }

  Case case_;
  Toolchain toolchain_;
  Settings settings_;
  std::string perturbation_;
  bool forks_all_ = false;
  bool waits_for_end_ = false;
};

TEST_F(CaseDialogueTest, TwoReplicatesThatAgreeAreEnoughAndTheLastMayBeTheChildsOwn) {
  CaseDialogue dialogue = begin(Mode::counts);
  EXPECT_FALSE(count_of(dialogue.on(PhaseReady{Phase::baseline})).last);
  EXPECT_TRUE(advances(dialogue.on(counted(1000))));
  EXPECT_FALSE(count_of(dialogue.on(PhaseReady{Phase::statement})).last);
  const AskCount second = count_of(dialogue.on(counted(6000)));
  EXPECT_TRUE(second.last);
  EXPECT_EQ(second.iterations, 100U);
  EXPECT_FALSE(dialogue.complete());
  EXPECT_TRUE(advances(dialogue.on(counted(6000, true))));
  EXPECT_TRUE(dialogue.complete());
  CaseOutcome outcome;
  dialogue.deliver(outcome, {});
  EXPECT_THAT(outcome.counts->replicates, ElementsAre(ElementsAre(6000), ElementsAre(6000)));
  EXPECT_THAT(outcome.counts->baseline, ElementsAre(ElementsAre(1000)));
  EXPECT_EQ(outcome.profiles.statement, "text");
  EXPECT_FALSE(outcome.counted.forks_differ);
}

/// Its first execution did not pause, one in ten did. A pause costs 20 instructions: 100 of them are 2,000 more.
TEST_F(CaseDialogueTest, AsManyPausesAreTakenOffAsTheStatementMade) {
  const auto paused = [](std::uint64_t instructions, std::uint64_t pauses) {
    RegionCounted region = counted(instructions);
    region.pauses = pauses;
    return region;
  };
  CaseDialogue dialogue = begin(Mode::counts);
  dialogue.on(PhaseReady{Phase::baseline});
  EXPECT_TRUE(advances(dialogue.on(paused(400, 0))));
  dialogue.on(PhaseReady{Phase::baseline});
  EXPECT_TRUE(advances(dialogue.on(paused(2400, 100))));
  dialogue.on(PhaseReady{Phase::statement});
  for (int i = 0; i < 2; ++i) dialogue.on(paused(400 + 1000 + 10 * 20, 10));
  CaseOutcome outcome;
  dialogue.deliver(outcome, {});
  EXPECT_THAT(outcome.counts->replicates, ElementsAre(ElementsAre(1600), ElementsAre(1600)));
  EXPECT_THAT(outcome.counts->baseline, ElementsAre(ElementsAre(600)));
  EXPECT_TRUE(outcome.counted.paused);
}

/// The first execution costs 5,000 more, each 10; a pause 20. The lead has 10 executions and a pause, the others 110
/// and 11.
TEST_F(CaseDialogueTest, ALeadIsSubtractedWithItsExecutionsAndPauses) {
  const auto region = [](std::uint64_t instructions, std::uint64_t iterations, std::uint64_t pauses) {
    RegionCounted one = counted(instructions);
    one.iterations = iterations;
    one.pauses = pauses;
    return one;
  };
  CaseDialogue dialogue = begin(Mode::counts);
  dialogue.on(PhaseReady{Phase::baseline});
  dialogue.on(region(84, 100, 0));
  dialogue.on(PhaseReady{Phase::baseline});
  dialogue.on(region(84 + 2000, 100, 100));
  const AskCount lead = count_of(dialogue.on(PhaseReady{Phase::lead}));
  EXPECT_FALSE(lead.last);
  EXPECT_TRUE(advances(dialogue.on(region(84 + 5000 + 100 + 20, 10, 1))));
  EXPECT_EQ(count_of(dialogue.on(PhaseReady{Phase::statement})).iterations, 110U);
  const AskCount second = count_of(dialogue.on(region(84 + 5000 + 1100 + 220, 110, 11)));
  EXPECT_EQ(second.iterations, 110U);
  EXPECT_TRUE(second.last);
  EXPECT_TRUE(advances(dialogue.on(region(84 + 5000 + 1100 + 220, 110, 11))));
  CaseOutcome outcome;
  dialogue.deliver(outcome, {});
  EXPECT_EQ(outcome.counts->iterations, 100U);
  EXPECT_THAT(outcome.counts->replicates, ElementsAre(ElementsAre(6404), ElementsAre(6404)));
  EXPECT_THAT(outcome.counts->baseline, ElementsAre(ElementsAre(5404)));
  EXPECT_FALSE(outcome.profiles.lead.empty());
}

TEST_F(CaseDialogueTest, AnOwnReplicateThatDiffersIsNoReplicate) {
  CaseDialogue dialogue = begin(Mode::counts);
  dialogue.on(PhaseReady{Phase::baseline});
  dialogue.on(counted(1000));
  dialogue.on(PhaseReady{Phase::statement});
  dialogue.on(counted(6000));
  EXPECT_TRUE(advances(dialogue.on(counted(6500, true))));
  CaseOutcome outcome;
  dialogue.deliver(outcome, {});
  EXPECT_TRUE(outcome.counted.forks_differ);
  EXPECT_THAT(outcome.counts->replicates, SizeIs(1));
}

TEST_F(CaseDialogueTest, ForkedReplicatesThatDifferAreFollowedByMore) {
  forks_all_ = true;
  CaseDialogue dialogue = begin(Mode::counts);
  dialogue.on(PhaseReady{Phase::baseline});
  dialogue.on(counted(1000));
  dialogue.on(PhaseReady{Phase::statement});
  for (const std::uint64_t count : {6000, 7000, 8000, 9000}) EXPECT_FALSE(count_of(dialogue.on(counted(count))).last);
  EXPECT_TRUE(advances(dialogue.on(counted(9500)))) << "five are the most";
}

TEST_F(CaseDialogueTest, ADumpThatCannotBeReadIsAFailureWithTheReason) {
  CaseDialogue dialogue = begin(Mode::counts);
  dialogue.on(PhaseReady{Phase::baseline});
  RegionCounted broken = counted(0);
  broken.totals = fail(ErrorKind::input, "no totals");
  EXPECT_TRUE(advances(dialogue.on(std::move(broken))));
  EXPECT_EQ(dialogue.failure()->message, "Callgrind left no usable counts: no totals");
  EXPECT_EQ(dialogue.on(counted(1000)), std::nullopt) << "nothing is asked after a failure";
}

TEST_F(CaseDialogueTest, AProgramsFunctionIsFollowedToItsEndWhereNoTimesFollow) {
  for (const bool waits : {false, true}) {
    waits_for_end_ = waits;
    CaseDialogue dialogue = begin(Mode::counts);
    dialogue.on(PhaseReady{Phase::baseline});
    dialogue.on(counted(1000));
    dialogue.on(PhaseReady{Phase::statement});
    dialogue.on(CaseReport{.note = "too early", .counters = {}});
    dialogue.on(counted(6000));
    dialogue.on(counted(6000, true));
    EXPECT_EQ(dialogue.needs_no_more(), !waits);
    dialogue.on(CaseReport{.note = "at its end", .counters = {}});
    EXPECT_TRUE(dialogue.needs_no_more());
    CaseOutcome outcome;
    dialogue.deliver(outcome, {});
    EXPECT_EQ(outcome.report.note, waits ? "at its end" : "");
  }
}

TEST_F(CaseDialogueTest, ACommandsRunThatIsFurthestFromTheFirstSaysWhatDiffers) {
  case_.command.emplace();
  CaseDialogue dialogue = begin(Mode::counts);
  const auto of_command = [](std::uint64_t instructions) {
    RegionCounted region = counted(instructions);
    region.dump = "desc: Process: 1\tfe\t0\t" + std::to_string(instructions) + "\tsh\n";
    return region;
  };
  dialogue.on(PhaseReady{Phase::baseline});
  dialogue.on(of_command(0));
  dialogue.on(PhaseReady{Phase::statement});
  for (const std::uint64_t instructions : {100, 101, 150, 99, 102}) dialogue.on(of_command(instructions));
  CaseOutcome outcome;
  dialogue.deliver(outcome, {});
  ASSERT_EQ(outcome.warnings.size(), 1U);
  EXPECT_THAT(outcome.warnings[0], HasSubstr("executed 100 instructions in one run and 150 in another"));
}

TEST_F(CaseDialogueTest, WhatACommandLeftBehindIsReportedBySessionsThatCountToo) {
  waits_for_end_ = true;
  CaseDialogue dialogue = begin(Mode::counts);
  dialogue.on(PhaseReady{Phase::baseline});
  dialogue.on(counted(1000));
  dialogue.on(PhaseReady{Phase::statement});
  dialogue.on(counted(6000));
  dialogue.on(counted(6000, true));
  CaseReport report;
  report.left_behind = "/tmp/x";
  dialogue.on(report);
  CaseOutcome outcome;
  dialogue.deliver(outcome, {});
  EXPECT_EQ(outcome.left_behind, "/tmp/x");
  EXPECT_FALSE(outcome.report.used);
}

TEST_F(CaseDialogueTest, AnEndThatSaysNothingLeavesWhatWasSaidBefore) {
  waits_for_end_ = true;
  CaseDialogue dialogue = begin(Mode::counts);
  dialogue.on(CaseReport{.note = "by an earlier call", .counters = {}});
  dialogue.on(PhaseReady{Phase::baseline});
  dialogue.on(counted(1000));
  dialogue.on(PhaseReady{Phase::statement});
  dialogue.on(counted(6000));
  dialogue.on(counted(6000, true));
  dialogue.on(CaseReport{});
  EXPECT_TRUE(dialogue.needs_no_more());
  CaseOutcome outcome;
  dialogue.deliver(outcome, {});
  EXPECT_EQ(outcome.report.note, "by an earlier call");
}

TEST_F(CaseDialogueTest, APerturbedCountIsTakenOnce) {
  perturbation_ = "hash_seed=1";
  CaseDialogue dialogue = begin(Mode::counts);
  dialogue.on(PhaseReady{Phase::baseline});
  dialogue.on(counted(1000));
  dialogue.on(PhaseReady{Phase::statement});
  EXPECT_TRUE(advances(dialogue.on(counted(6100))));
  CaseOutcome outcome;
  dialogue.deliver(outcome, {});
  EXPECT_FALSE(outcome.counts);
  ASSERT_THAT(outcome.perturbed, SizeIs(1));
  EXPECT_EQ(outcome.perturbed[0].first, "hash_seed=1");
}

TEST_F(CaseDialogueTest, TimesAreTakenChildAfterChildWithoutTheLoop) {
  CaseDialogue dialogue = begin(Mode::wall);
  const AskTimes loop = times_of(dialogue.on(PhaseReady{Phase::baseline}));
  EXPECT_EQ(loop.iterations, 0U);
  EXPECT_FALSE(loop.of_statement);
  EXPECT_TRUE(advances(dialogue.on(timed(1e-9))));
  const AskTimes first = times_of(dialogue.on(PhaseReady{Phase::statement}));
  EXPECT_TRUE(first.of_statement);
  EXPECT_EQ(first.children, 1U);
  const AskTimes rest = times_of(dialogue.on(timed(1.001e-6)));
  EXPECT_EQ(rest.iterations, 1000U) << "all children repeat the first one's number";
  EXPECT_EQ(rest.children, 4U);
  for (int child = 0; child < 3; ++child) EXPECT_EQ(dialogue.on(timed(1.001e-6)), std::nullopt);
  const auto next = dialogue.on(timed(1.001e-6));
  ASSERT_TRUE(next);
}

TEST_F(CaseDialogueTest, TheMaximumRunTimeIsOfAllThatChildrenTake) {
  settings_.counts = false;
  settings_.min_run_time_s = 0.001;
  const auto children_until_it_stops = [&](double spent_s) {
    CaseDialogue dialogue = begin_after_the_loop();
    dialogue.on(PhaseReady{Phase::statement});
    for (int children = 1;; ++children) {
      ChildTimed child = timed(children % 2 == 0 ? 1e-6 : 1.2e-6);
      child.spent_s = spent_s;
      if (advances(dialogue.on(std::move(child)))) return children;
    }
  };
  EXPECT_EQ(children_until_it_stops(0.1), 5) << "half a second";
  EXPECT_EQ(children_until_it_stops(0.0625), 8);
  EXPECT_EQ(children_until_it_stops(0), 40) << "a program of an earlier version, which does not report it";
}

TEST_F(CaseDialogueTest, TheLastChildMayBeTheCasesOwnUnlessAllocationsAreToBeCounted) {
  for (const bool counts : {false, true}) {
    settings_.counts = counts;
    settings_.min_run_time_s = settings_.max_run_time_s = 0.001;
    CaseDialogue dialogue = begin_after_the_loop();
    EXPECT_FALSE(times_of(dialogue.on(PhaseReady{Phase::statement})).last);
    const AskTimes second = times_of(dialogue.on(timed(1e-6, 5)));
    EXPECT_EQ(second.children, 1U);
    EXPECT_EQ(second.last, !counts);
    const auto next = dialogue.on(timed(1e-6, 5));
    ASSERT_TRUE(next);
    EXPECT_EQ(advances(next), !counts);
  }
}

TEST_F(CaseDialogueTest, AfterTheLastChildNothingElseIsAsked) {
  settings_.counts = false;
  settings_.min_run_time_s = settings_.max_run_time_s = 0.001;
  CaseDialogue dialogue = begin_after_the_loop();
  dialogue.on(PhaseReady{Phase::statement});
  EXPECT_TRUE(times_of(dialogue.on(timed(1e-6, 5))).last);
  EXPECT_TRUE(advances(dialogue.on(timed(1e-6, 1)))) << "it began to pause; the state it would need is spent";
}

TEST_F(CaseDialogueTest, BlocksThatCameOutTooShortAreTakenAgain) {
  const ChildTimed interrupted{.number = 1, .samples_s = {9e-5, 6e-8, 7e-8}};  // the clock's own price
  CaseDialogue dialogue = begin(Mode::wall);
  dialogue.on(PhaseReady{Phase::baseline});
  const AskTimes again = times_of(dialogue.on(interrupted));
  EXPECT_EQ(again.iterations, 0U);
  EXPECT_FALSE(again.of_statement);
  EXPECT_TRUE(advances(dialogue.on(timed(1e-9))));
  dialogue.on(PhaseReady{Phase::statement});
  EXPECT_EQ(times_of(dialogue.on(interrupted)).children, 1U);
  EXPECT_EQ(times_of(dialogue.on(timed(1.001e-6))).iterations, 1000U);
}

TEST_F(CaseDialogueTest, TheEmptyLoopIsTheMedianOfAHundredBlocks) {
  CaseDialogue dialogue = begin(Mode::wall);
  const AskTimes loop = times_of(dialogue.on(PhaseReady{Phase::baseline}));
  EXPECT_EQ(loop.least_samples, 100U) << "however long the machine stops the process in one of them";
  EXPECT_DOUBLE_EQ(loop.budget_s, 100 * loop.block_s);
  ChildTimed blocks = timed(3.3e-9, 100);
  std::fill_n(blocks.samples_s.begin(), 49, 112e-9);  // interrupted ones
  EXPECT_TRUE(advances(dialogue.on(std::move(blocks))));
  const AskTimes first = times_of(dialogue.on(PhaseReady{Phase::statement}));
  EXPECT_GT(first.block_s, loop.block_s);
  dialogue.on(timed(30e-9));
  CaseOutcome outcome;
  dialogue.deliver(outcome, {});
  EXPECT_DOUBLE_EQ(outcome.wall->overhead_s, 3.3e-9);
  EXPECT_DOUBLE_EQ(outcome.wall->by_child[0][0], 26.7e-9);
  EXPECT_DOUBLE_EQ(outcome.wall->clock_s, 1e-8);
}

TEST_F(CaseDialogueTest, NothingIsTakenOffOfATimeThatTheBenchmarkSays) {
  settings_.counts = false;
  CaseDialogue dialogue = begin_after_the_loop();
  dialogue.on(PhaseReady{Phase::statement});
  ChildTimed manual{.number = 1, .samples_s = std::vector<double>(10, 1e-10), .manual = true};
  const AskTimes next = times_of(dialogue.on(manual));
  EXPECT_EQ(next.iterations, 1U) << "not taken again, however short: no clock is at fault";
  EXPECT_EQ(next.children, 4U);
  CaseOutcome outcome;
  dialogue.deliver(outcome, {});
  EXPECT_EQ(outcome.wall->by_child[0][0], 1e-10);
  EXPECT_EQ(outcome.wall->overhead_s, 0);
  EXPECT_EQ(outcome.wall->clock_s, 0);
}

/// Samples of the statement are requested: a third of a cheap one's blocks is the empty loop.
TEST_F(CaseDialogueTest, TheMinimumRunTimeIsOfTheStatementAlone) {
  settings_.counts = false;
  settings_.min_run_time_s = 2;
  CaseDialogue dialogue = begin(Mode::wall);
  dialogue.on(PhaseReady{Phase::baseline});
  dialogue.on(timed(1e-8));
  AskTimes asked = times_of(dialogue.on(PhaseReady{Phase::statement}));
  double measured_s = 0;
  for (bool over = false; !over;) {
    std::optional<CaseCommand> command;
    for (std::uint64_t child = 0; child < asked.children; ++child) {
      // It samples for as long as it is to.
      constexpr std::uint64_t kNumber = 100'000;
      const auto samples = static_cast<std::size_t>(asked.budget_s / (3e-8 * kNumber)) + 1;
      measured_s += static_cast<double>(samples * kNumber) * 2e-8;
      command = dialogue.on(ChildTimed{.number = kNumber, .samples_s = std::vector<double>(samples, 3e-8)});
    }
    over = advances(command);
    if (!over) asked = times_of(command);
  }
  EXPECT_GE(measured_s, 2);
  EXPECT_LT(measured_s, 2.5);
}

TEST_F(CaseDialogueTest, WhatStaysShortIsTakenInTheEnd) {
  const ChildTimed interrupted{.number = 1, .samples_s = {6e-8}};
  CaseDialogue dialogue = begin(Mode::wall);
  dialogue.on(PhaseReady{Phase::baseline});
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(advances(dialogue.on(interrupted)));
  EXPECT_TRUE(advances(dialogue.on(interrupted)));
}

TEST_F(CaseDialogueTest, AGivenNumberOfExecutionsIsEverySampleOfOneChild) {
  settings_.counts = false;
  settings_.number_per_run = 7;
  settings_.min_run_time_s = 0.001;
  CaseDialogue dialogue = begin(Mode::wall);
  EXPECT_EQ(times_of(dialogue.on(PhaseReady{Phase::baseline})).iterations, 0U) << "the loop's block is found";
  dialogue.on(timed(1e-9));
  const AskTimes only = times_of(dialogue.on(PhaseReady{Phase::statement}));
  EXPECT_EQ(only.iterations, 7U);
  EXPECT_DOUBLE_EQ(only.budget_s, 0.001);
  EXPECT_EQ(only.children, 1U);
  EXPECT_TRUE(advances(dialogue.on(timed(1e-6))));
}

/// Each execution takes 10 µs, a wait 100: a block must have 200 times as many for a wait to be half a per cent of it.
TEST_F(CaseDialogueTest, OnADeviceAWaitIsMeasuredAndTakenOff) {
  settings_.counts = false;
  const auto block = [](std::uint64_t number) {
    const double all_s = 1e-5 * static_cast<double>(number) + 1e-4;
    const auto each_s = all_s / static_cast<double>(number);
    return ChildTimed{.number = number,
                      .samples_s = std::vector(10, each_s),
                      .launch_s = std::vector(10, 4e-6),
                      .device_s = std::vector(10, 9e-6)};
  };
  CaseDialogue dialogue = begin(Mode::wall);
  dialogue.on(PhaseReady{.phase = Phase::baseline, .device = "cuda"});
  EXPECT_TRUE(advances(dialogue.on(timed(1e-12))));
  EXPECT_EQ(times_of(dialogue.on(PhaseReady{.phase = Phase::statement, .device = "cuda"})).iterations, 1U);
  EXPECT_EQ(times_of(dialogue.on(block(1))).iterations, 10U);
  const AskTimes asked = times_of(dialogue.on(block(10)));
  EXPECT_NEAR(static_cast<double>(asked.iterations), 1e-4 / 0.005 / 1e-5, 1);
  EXPECT_TRUE(asked.of_statement);
  std::optional<CaseCommand> next = dialogue.on(block(asked.iterations));
  for (int child = 1; child < 40 && next && !advances(next); ++child) next = dialogue.on(block(asked.iterations));
  CaseOutcome outcome;
  dialogue.deliver(outcome, {});
  EXPECT_NEAR(median(outcome.wall->by_child.front()), 1e-5, 1e-11) << "the wait is not in it";
  ASSERT_TRUE(outcome.device_times);
  EXPECT_NEAR(outcome.device_times->wait_s, 1e-4, 1e-9);
  EXPECT_NEAR(median(outcome.device_times->launch_s), 4e-6, 1e-11) << "of blocks that fill no queue";
  EXPECT_NEAR(median(outcome.device_times->device_s), 9e-6, 1e-11);
  EXPECT_EQ(outcome.device, "cuda");
}

TEST_F(CaseDialogueTest, WithAColdCacheAWaitIsMeasuredWithAWarmOneAndTakenOff) {
  settings_.counts = false;
  case_.settings.flush = Flush::l2;
  const auto block = [](std::uint64_t number, double execution_s) {
    const double all_s = execution_s * static_cast<double>(number) + 1e-4;
    return ChildTimed{.number = number,
                      .samples_s = std::vector(10, all_s / static_cast<double>(number)),
                      .launch_s = std::vector(10, 4e-6),
                      .device_s = std::vector(10, 9e-6)};
  };
  CaseDialogue dialogue = begin(Mode::wall);
  dialogue.on(PhaseReady{.phase = Phase::baseline, .device = "cuda"});
  EXPECT_FALSE(times_of(dialogue.on(PhaseReady{.phase = Phase::statement, .device = "cuda"})).flushes);
  EXPECT_FALSE(times_of(dialogue.on(block(1, 1e-5))).flushes);
  AskTimes asked = times_of(dialogue.on(block(10, 1e-5)));
  EXPECT_TRUE(asked.flushes);
  EXPECT_EQ(asked.iterations, 1U);
  std::optional<CaseCommand> next = dialogue.on(block(1, 3e-5));
  for (int child = 1; child < 40 && next && !advances(next); ++child) {
    EXPECT_TRUE(times_of(next).flushes);
    next = dialogue.on(block(1, 3e-5));
  }
  CaseOutcome outcome;
  dialogue.deliver(outcome, {});
  EXPECT_NEAR(median(outcome.wall->by_child.front()), 3e-5, 1e-11);
  ASSERT_TRUE(outcome.device_times);
  EXPECT_TRUE(outcome.device_times->flushed);
  EXPECT_NEAR(outcome.device_times->wait_s, 1e-4, 1e-9);
  EXPECT_NEAR(median(outcome.device_times->device_s), 9e-6, 1e-11);
}

TEST_F(CaseDialogueTest, AllocationsAreCountedAfterTheTimesAndOnlyBesideCounts) {
  for (const bool counts : {true, false}) {
    settings_.counts = counts;
    settings_.min_run_time_s = settings_.max_run_time_s = 0.001;
    CaseDialogue dialogue = begin_after_the_loop();
    dialogue.on(PhaseReady{Phase::statement});
    std::optional<CaseCommand> command = dialogue.on(timed(1e-6));
    for (int i = 0; i < 100 && (!command || std::holds_alternative<AskTimes>(*command)); ++i)
      command = dialogue.on(timed(1e-6));
    EXPECT_EQ(advances(command), !counts);
    if (!counts) continue;
    EXPECT_EQ(count_of(command).iterations, 100U);
    EXPECT_TRUE(advances(dialogue.on(RegionCounted{.iterations = 100, .allocations = 300, .allocated_bytes = 2400})));
    CaseOutcome outcome;
    dialogue.deliver(outcome, {});
    EXPECT_EQ(outcome.allocations->count, 300U);
    EXPECT_DOUBLE_EQ(outcome.wall->overhead_s, 1e-9);
    EXPECT_NEAR(outcome.wall->by_child[0][0], 1e-6 - 1e-9, 1e-15);
  }
}

TEST_F(CaseDialogueTest, AResultIsRequestedTwiceAndMustAgree) {
  CaseDialogue dialogue = begin(Mode::result);
  EXPECT_TRUE(advances(dialogue.on(PhaseReady{Phase::baseline})));
  EXPECT_EQ(count_of(dialogue.on(PhaseReady{Phase::statement})).iterations, 1U);
  dialogue.on(StatementResult{"t = 1", {}, false});
  EXPECT_EQ(count_of(dialogue.on(RegionCounted{})).iterations, 1U);
  dialogue.on(StatementResult{"t = 2", {}, false});
  EXPECT_TRUE(advances(dialogue.on(RegionCounted{})));
  CaseOutcome outcome;
  dialogue.deliver(outcome, {});
  EXPECT_TRUE(outcome.result->varies);
  EXPECT_THAT(outcome.result->refusal, HasSubstr("two executions"));
}

TEST_F(CaseDialogueTest, WhatTheChildSaysOfItsFailureIsPutInTheSuitesWords) {
  case_.setup.parts = {{"1 / 0", {.file = "s.toml", .line = 7, .column = 1}}};
  CaseDialogue dialogue = begin(Mode::counts);
  dialogue.on(CaseFailed{.stage = Stage::setup,
                         .message = "ZeroDivisionError: division by zero",
                         .detail = "Traceback\n  File \"<tally>\", line 1, in <module>\n",
                         .signal = {}});
  ASSERT_TRUE(dialogue.failure());
  EXPECT_EQ(dialogue.failure()->stage, "setup");
  EXPECT_EQ(dialogue.failure()->message, "ZeroDivisionError: division by zero (s.toml:7)");
  EXPECT_FALSE(dialogue.crashed());
}

TEST_F(CaseDialogueTest, AnIllegalInstructionIsKnownByItsNumberAlone) {
  case_.language = Language::cpp;
  CaseDialogue crashed = begin(Mode::counts);
  crashed.on(CaseFailed{.stage = Stage::region, .message = "crashed with SIGILL", .detail = {}, .signal = SIGILL});
  EXPECT_TRUE(crashed.crashed());
  EXPECT_THAT(crashed.failure()->message, HasSubstr("build without -march=native, or with -march=x86-64-v3"));
  CaseDialogue threw = begin(Mode::counts);
  threw.on(CaseFailed{.stage = Stage::region, .message = "what(): SIGILL", .detail = {}, .signal = {}});
  EXPECT_EQ(threw.failure()->message, "what(): SIGILL");
  toolchain_.lacking_instructions = "switch vectors off";
  CaseDialogue advised = begin(Mode::counts);
  advised.on(CaseFailed{.stage = Stage::region, .message = "crashed with SIGILL", .detail = {}, .signal = SIGILL});
  EXPECT_THAT(advised.failure()->message, EndsWith("-march=x86-64-v3; switch vectors off"));
}

TEST_F(CaseDialogueTest, TheMemoryOfADeviceIsNotWhatACaseMayUse) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 30U;
  const auto message_of = [&](const char* raised) {
    const CaseFailed failed{.stage = Stage::warm_up, .message = raised, .detail = {}, .signal = {}};
    DialogueRules rules{
        .measured = &case_, .toolchain = &toolchain_, .mode = Mode::wall, .plan = {}, .perturbation = {}};
    rules.plan.memory_bytes = kLimit;
    return describe_failure(failed, rules).message;
  };
  EXPECT_THAT(message_of("MemoryError"), StartsWith("over memory, of which it may use 1024 MiB: "));
  EXPECT_THAT(message_of("OutOfMemoryError: CUDA out of memory. Tried to allocate 131072.00 GiB."),
              StartsWith("OutOfMemoryError: CUDA out of memory."));
}

TEST_F(CaseDialogueTest, WhatAnImageDidNotBringIsTheReasonOfAnImportAndOfNoOtherException) {
  const auto message_of = [&](const char* raised, const char* detail) {
    CaseFailure failure{"setup", raised, detail, "tally: it looks for /usr/lib/python3.11, and more\n"};
    add_reason(failure);
    return failure.message;
  };
  EXPECT_EQ(message_of("ModuleNotFoundError: No module named 'xml'", "a traceback"),
            "ModuleNotFoundError: No module named 'xml': it looks for /usr/lib/python3.11, and more");
  EXPECT_EQ(message_of("ValueError: wrong", "a traceback"), "ValueError: wrong");
  EXPECT_EQ(message_of("the case's process exited with code 1", ""),
            "the case's process exited with code 1: it looks for /usr/lib/python3.11, and more");
}

TEST_F(CaseDialogueTest, AReplicateThatDiesIsTheCasesFailure) {
  CaseDialogue dialogue = begin(Mode::wall);
  dialogue.on(PhaseReady{Phase::baseline});
  EXPECT_EQ(dialogue.on(ChildTimed{.status = SIGSEGV}), std::nullopt);
  EXPECT_TRUE(dialogue.crashed());
  EXPECT_EQ(dialogue.failure()->stage, "time");
  EXPECT_THAT(dialogue.failure()->message, HasSubstr("the statement's process killed by SIGSEGV"));
  CaseDialogue talkative = begin(Mode::wall);
  talkative.on(InvalidMessage{});
  EXPECT_EQ(talkative.failure()->stage, "host");
}

}  // namespace
}  // namespace tally
