#include "run/assemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Case example(Language language = Language::cpp) {
  Case c;
  c.id = "a [cpp]";
  c.label = {"a"};
  c.language = language;
  c.stmt.parts = {{"f();", {}}};
  return c;
}

CaseOutcome counted(std::uint64_t total, std::uint64_t baseline) {
  CaseOutcome outcome;
  outcome.ending = Ending::ok;
  outcome.counts = CountSamples{10, {"Ir"}, {{total}, {total}}, {{baseline}, {baseline}}};
  return outcome;
}

TEST(Assemble, CountsArePerIteration) {
  CaseOutcome outcome = counted(1100, 100);
  outcome.allocations = AllocationSample{4, 8, 64};
  const CaseRecord record = assemble(example(), outcome, 0.01, "again");
  EXPECT_EQ(record.status, CaseStatus::ok);
  EXPECT_EQ(record.counts->per_iteration, 100);
  EXPECT_EQ(record.counts->allocations, 2);
  EXPECT_EQ(record.counts->allocated_bytes, 16);
  EXPECT_THAT(record.flags, IsEmpty());
  EXPECT_FALSE(record.failure);
}

TEST(Assemble, AProofSaysOfWhatItIs) {
  CaseOutcome outcome = counted(1100, 100);
  outcome.counted.hosts = {1};
  EXPECT_EQ(assemble(example(), outcome, 0.01, "").counts->proven, "one process");
  outcome.counted.hosts = {1, 2};
  outcome.counted.doubt = "its setup loads libx.so";
  const CaseRecord equal = assemble(example(), outcome, 0.01, "");
  EXPECT_EQ(equal.counts->proven, "two processes");
  EXPECT_THAT(equal.flags, IsEmpty());
  outcome.counts->replicates.push_back({1101});
  const CaseRecord differ = assemble(example(), outcome, 0.01, "");
  EXPECT_THAT(differ.flags, ElementsAre("processes_differ"));
  EXPECT_THAT(differ.warnings, ElementsAre("processes differ: 100.0 to 100.1 instructions (its setup loads libx.so); a "
                                           "comparison takes that for noise"));
}

TEST(Assemble, AClockProvesNothingButADifference) {
  CaseOutcome outcome = counted(1100, 100);
  outcome.counted = {.hosts = {1}, .doubt = "it reads a clock", .reads_clock = true, .other_sessions = 1};
  EXPECT_EQ(assemble(example(), outcome, 0.01, "").counts->proven, "one process");
  outcome.counts->replicates.push_back({1110});
  const CaseRecord differ = assemble(example(), outcome, 0.01, "");
  EXPECT_EQ(differ.counts->proven, "two processes");
  EXPECT_THAT(differ.flags, testing::Contains("processes_differ"));
}

TEST(Assemble, WhatAnotherSecondDoesNotChangeDoesNotFollowFromTheTimeOfDay) {
  CaseOutcome outcome = counted(1100, 100);
  outcome.counted = {.hosts = {1}, .doubt = "it reads a clock", .reads_clock = true, .reads_time_of_day = true};
  const auto warns = testing::Contains(testing::HasSubstr("reads the time of day"));
  EXPECT_THAT(assemble(example(), outcome, 0.01, "").warnings, warns) << "it was counted once";
  outcome.counted.other_sessions = 1;
  EXPECT_THAT(assemble(example(), outcome, 0.01, "").warnings, IsEmpty());
  outcome.counted.other_sessions = 0;
  outcome.counted.hosts = {1, 2};
  EXPECT_THAT(assemble(example(), outcome, 0.01, "").warnings, IsEmpty());
  outcome.counts->replicates.push_back({1110});
  EXPECT_THAT(assemble(example(), outcome, 0.01, "").warnings, warns);
}

TEST(Assemble, AStatementThatIsGoneIsReported) {
  EXPECT_THAT(assemble(example(), counted(100, 100), 0.01, "").flags, ElementsAre("optimised_away"));
  EXPECT_THAT(assemble(example(Language::python), counted(100, 100), 0.01, "").flags, IsEmpty());
  Case empty = example();
  empty.stmt.parts = {{"", {}}};
  EXPECT_THAT(assemble(empty, counted(100, 100), 0.01, "").flags, IsEmpty());
}

TEST(Assemble, ACaseThatIsMostlyRepetitionsIsNoted) {
  CaseOutcome outcome = counted(20'100, 100);
  EXPECT_FALSE(assemble(example(), outcome, 0.01, "").counts->string_repetitions);
  outcome.counts = CountSamples{10, {"Ir", "string_repetitions"}, {{20'100, 10'000}, {20'100, 10'000}}, {{100}}};
  const CaseRecord half = assemble(example(), outcome, 0.01, "");
  EXPECT_EQ(half.counts->string_repetitions, 1000);
  EXPECT_EQ(half.counts->per_iteration, 2000);
  EXPECT_THAT(half.counts->events, ElementsAre(std::pair<std::string, double>("Ir", 2000)));
  EXPECT_THAT(half.flags, IsEmpty());
  outcome.counts->replicates = {{20'100, 10'010}, {20'100, 10'010}};
  const CaseRecord most = assemble(example(), outcome, 0.01, "");
  EXPECT_THAT(most.flags, ElementsAre("string_repetitions"));
  EXPECT_THAT(most.warnings,
              ElementsAre("more than half of its instructions only repeat a string instruction (rep movs, "
                          "rep stos), which a processor counts once: time it, too"));
  outcome.counts->baseline = {{100, 10'010}};
  EXPECT_FALSE(assemble(example(), outcome, 0.01, "").counts->string_repetitions) << "all of them are the loop's";
}

TEST(Assemble, ACountBelowNothingIsFlaggedAndStaysOk) {
  CaseOutcome outcome = counted(20, 100);
  outcome.counted.paused = true;
  const CaseRecord record = assemble(example(Language::python), outcome, 0.01, "");
  EXPECT_EQ(record.status, CaseStatus::ok);
  EXPECT_EQ(record.counts->per_iteration, -8);
  EXPECT_THAT(record.flags, ElementsAre("negative_count"));
  EXPECT_THAT(record.warnings, ElementsAre("its count is -8: the empty loop executes more than it does; pause less "
                                           "often, or not at all"));
}

TEST(Assemble, WhatMakesACountLessCertainIsFlagged) {
  CaseOutcome outcome = counted(1'000'000, 100);
  outcome.counts->replicates[1][0] = 1'100'000;
  const CaseRecord record = assemble(example(), outcome, 0.01, "");
  EXPECT_THAT(record.flags, ElementsAre("counts_vary"));
}

TEST(Assemble, EveryEndingHasItsStatus) {
  for (const auto& [ending, status] : {std::pair{Ending::failed, CaseStatus::failed},
                                       {Ending::host_lost, CaseStatus::failed},
                                       {Ending::crashed, CaseStatus::crashed},
                                       {Ending::timed_out, CaseStatus::timeout},
                                       {Ending::cancelled, CaseStatus::skipped}}) {
    CaseOutcome outcome;
    outcome.ending = ending;
    outcome.failure = CaseFailure{"count", "why", "", ""};
    outcome.attempts = {CaseAttempt{.mode = Mode::counts, .ending = ending, .seconds = 1.5}};
    const CaseRecord record = assemble(example(), outcome, 0.01, "again");
    EXPECT_EQ(record.status, status);
    EXPECT_EQ(record.attempts.at(0).outcome, status);
    EXPECT_EQ(record.failure.has_value(), ending != Ending::cancelled);
    if (record.failure) {
      EXPECT_EQ(record.failure->stage, "count");
      EXPECT_EQ(record.failure->reproduce, "again");
    }
  }
}

TEST(Assemble, AFailureSaysEachThingOnce) {
  CaseOutcome outcome;
  outcome.ending = Ending::failed;
  outcome.failure = CaseFailure{"build", "s.toml:1: error: x", "s.toml:1: error: x\n  f();\n  ^", "printed"};
  EXPECT_EQ(assemble(example(), outcome, 0.01, "").failure->message,
            "s.toml:1: error: x\n  f();\n  ^\noutput of the case:\nprinted");
  outcome.failure = CaseFailure{"count", "ValueError: x (s.toml:1)", "Traceback\nValueError: x", ""};
  EXPECT_EQ(assemble(example(), outcome, 0.01, "").failure->message,
            "ValueError: x (s.toml:1)\nTraceback\nValueError: x");
  outcome.failure = CaseFailure{"count", "same", "same", ""};
  EXPECT_EQ(assemble(example(), outcome, 0.01, "").failure->message, "same");
}

TEST(Assemble, ACaseThatWasNotRunIsItsDefinition) {
  Case c = example();
  c.params = {{"n", "4"}};
  c.digest = "d";
  const CaseRecord record{describe_case(c)};
  EXPECT_EQ(record.status, CaseStatus::skipped);
  EXPECT_EQ(record.definition.stmt, "f();");
  EXPECT_EQ(record.definition.digest, "d");
  EXPECT_EQ(record.params, c.params);
  EXPECT_FALSE(record.own);
}

TEST(Assemble, OfADevicesCardsThoseStandThatTheCaseHasUsed) {
  CaseOutcome outcome;
  outcome.ending = Ending::ok;
  outcome.device = "cuda";
  outcome.device_times = DeviceSamples{};
  outcome.device_times->cards = {{.uuid = "GPU-a", .number = 0, .slowed_s = {{{"sw_power_cap", 1}}}},
                                 {.uuid = "GPU-b", .number = 1, .slowed_s = {{{"sw_power_cap", 0}}}}};
  const auto judged = [&](const std::optional<std::vector<std::uint32_t>>& devices) {
    CaseRecord record = assemble(example(), outcome, 0.01, "");
    if (devices) record.on_device->work = DeviceWork{.devices = devices};
    judge_cards(record);
    return record;
  };
  const CaseRecord first = judged({{0}});
  EXPECT_EQ(first.on_device->cards->size(), 1U);
  EXPECT_THAT(first.flags, ElementsAre("device", "device_throttled"));
  EXPECT_THAT(first.warnings, ElementsAre("the card was slowed down while its times were taken: sw_power_cap for 1 s"));
  const CaseRecord second = judged({{1}});
  EXPECT_EQ(second.on_device->cards->front().uuid, "GPU-b");
  EXPECT_THAT(second.flags, ElementsAre("device")) << "the other card is no matter of this case";
  const CaseRecord unknown = judged({});
  EXPECT_EQ(unknown.on_device->cards->size(), 2U);
  EXPECT_THAT(unknown.warnings,
              ElementsAre("the card GPU-a was slowed down while its times were taken: sw_power_cap for 1 s"));
}

TEST(Assemble, ACommandsRecordSaysWhatItHadOfItsOwnAndWhatItLeftThere) {
  Case c = example();
  c.command.emplace();
  EXPECT_FALSE(describe_case(c).own);
  c.command->own_numbers = true;
  c.command->private_tmp = true;
  EXPECT_EQ(describe_case(c).own, (std::vector<std::string>{"process_numbers", "tmp"}));
  CaseOutcome outcome;
  outcome.left_behind = "/tmp/x";
  EXPECT_EQ(assemble(c, outcome, 0.01, "").warnings,
            std::vector<std::string>{"left in its own /tmp, and gone with it: /tmp/x"});
}

}  // namespace
}  // namespace tally
