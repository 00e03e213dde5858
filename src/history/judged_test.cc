#include "history/judged.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/example_record.h"

namespace tally {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

NewestRun judged(const std::vector<std::vector<CaseRecord>>& runs) {
  std::vector<Record> records;
  for (const std::vector<CaseRecord>& cases : runs) {
    records.push_back(example_record());
    records.back().cases = cases;
  }
  CommitLine line;
  std::vector<const Record*> all;
  for (const Record& record : records) {
    line.commits.push_back({.id = std::to_string(all.size()), .author = {}, .title = {}});
    line.measured.push_back(all.size());
    all.push_back(&record);
  }
  return judged_at_newest(history_of("suite.toml", std::move(line), all), {});
}

TEST(Judged, CommitsAfterTheNewestRunAreNotMeasured) {
  const Record record = example_record();
  CommitLine line{.commits = {{.id = "a", .author = {}, .title = {}},
                              {.id = "b", .author = {}, .title = {}},
                              {.id = "c", .author = {}, .title = {}}},
                  .measured = {0}};
  EXPECT_EQ(judged_at_newest(history_of("suite.toml", line, {&record}), {}).commits_after, 2U);
  line.measured = {2};
  EXPECT_EQ(judged_at_newest(history_of("suite.toml", line, {&record}), {}).commits_after, 0U);
}

TEST(Judged, OneRunAloneJudgesNothing) {
  const NewestRun newest = judged({{example_case("a"), example_case("b")}});
  EXPECT_EQ(newest.judged, 0U);
  EXPECT_EQ(newest.cases, 2U);
  EXPECT_THAT(newest.added, ElementsAre(0, 1));
}

TEST(Judged, EachCaseOfTheNewestRunIsOneOfThese) {
  CaseRecord failed = example_case("failed");
  failed.status = CaseStatus::crashed;
  failed.counts.reset();
  CaseRecord other = example_case("other");
  other.counts = summarize_counts({.iterations = 50, .events = {"Ir"}, .replicates = {{50700}}, .baseline = {{700}}});
  CaseRecord uncounted = example_case("uncounted");
  uncounted.counts.reset();
  const std::vector<CaseRecord> before = {example_case("same"),  example_case("failed"),    example_case("other"),
                                          example_case("below"), example_case("uncounted"), example_case("gone")};
  const NewestRun newest = judged(
      {before, {example_case("same"), failed, other, example_case("below", -8), uncounted, example_case("new")}});
  EXPECT_EQ(newest.judged, 1U);
  EXPECT_EQ(newest.cases, 7U);
  EXPECT_THAT(newest.failed, ElementsAre(1));
  EXPECT_THAT(newest.gone, ElementsAre(5));
  EXPECT_THAT(newest.added, ElementsAre(6));
  ASSERT_EQ(newest.uncompared.size(), 3U);
  EXPECT_EQ(newest.uncompared[0].why, "iterations differ: 100 and 50");
  EXPECT_EQ(newest.uncompared[1].why, "the new count is below zero (-8), which is not a valid count");
  EXPECT_EQ(newest.uncompared[2].why, "it has no count and reports no value");
}

TEST(Judged, KernelsAreNoCaseButMissingOnesAreNamed) {
  const auto with_kernels = [](std::optional<double> kernels) {
    CaseRecord one = example_case("a");
    one.on_device = OnDevice{.name = "cuda"};
    if (kernels) one.on_device->work = DeviceWork{.kernels = *kernels};
    return std::vector{one};
  };
  const NewestRun compared = judged({with_kernels(7), with_kernels(9)});
  EXPECT_EQ(compared.judged, 1U);
  EXPECT_EQ(compared.cases, 1U);
  EXPECT_THAT(compared.uncompared, IsEmpty());
  const NewestRun unknown = judged({with_kernels(7), with_kernels({})});
  EXPECT_EQ(unknown.judged, 1U);
  ASSERT_EQ(unknown.uncompared.size(), 1U);
  EXPECT_EQ(unknown.uncompared[0].why, "its kernels are not known, and were at an earlier run");
  EXPECT_THAT(judged({with_kernels({}), with_kernels({})}).uncompared, IsEmpty()) << "nobody has ever known them";
}

TEST(Judged, WhatWasGoneLongAgoIsNoNews) {
  EXPECT_THAT(judged({{example_case("a"), example_case("b")}, {example_case("a")}, {example_case("a")}}).gone,
              IsEmpty());
}

}  // namespace
}  // namespace tally
