#include "history/course.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "record/example_record.h"

namespace tally {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Record run_with(double first, double second = 1000) {
  Record record = example_record();
  record.cases = {example_case("first", first), example_case("second", second)};
  return record;
}

/// Of as many commits as records, where `places` says nothing else.
History history(const std::vector<Record>& records, std::vector<std::size_t> places = {}) {
  std::vector<const Record*> runs;
  CommitLine line;
  for (const Record& record : records) {
    line.commits.push_back({.id = std::to_string(runs.size()), .author = {}, .title = {}});
    line.measured.push_back(runs.size());
    runs.push_back(&record);
  }
  if (!places.empty()) line.measured = std::move(places);
  return history_of("suite.toml", std::move(line), runs);
}

Course course_of(const std::vector<Record>& records, std::vector<std::size_t> places = {}) {
  return tally::course_of(history(records, std::move(places)), {});
}

Record in_environment(Record record, const std::string& name) {
  record.fingerprint.environment = name;
  return record;
}

constexpr std::size_t kFirst = 0;  // The case's place.
constexpr std::size_t kSecond = 1;

TEST(Course, AChangeBelongsToTheRunThatHasItFirst) {
  const Course course =
      course_of({run_with(10000), run_with(10000), run_with(11000), run_with(11000), run_with(10000)});
  ASSERT_EQ(course.entries.size(), 5);
  EXPECT_EQ(course.entries[0].compared, 0);
  EXPECT_THAT(course.entries[1].steps, IsEmpty());
  ASSERT_EQ(course.entries[2].steps.size(), 1);
  EXPECT_EQ(course.entries[2].steps[0].of, kFirst);
  EXPECT_EQ(course.entries[2].steps[0].since, 1);
  EXPECT_NEAR(course.entries[2].steps[0].counts.change, 0.1, 1e-12);
  EXPECT_TRUE(course.entries[2].steps[0].is_slower());
  EXPECT_EQ(course.entries[2].compared, 2);
  EXPECT_NEAR(course.entries[2].geometric_mean, std::sqrt(1.1), 1e-12);
  EXPECT_THAT(course.entries[3].steps, IsEmpty());
  ASSERT_EQ(course.entries[4].steps.size(), 1);
  EXPECT_FALSE(course.entries[4].steps[0].is_slower());
  EXPECT_THAT(course.drifts, IsEmpty());
}

/// A case on a device, with so many kernels; without, nothing is known of them.
Record on_device(std::optional<double> kernels, double instructions = 10000) {
  Record record = run_with(instructions);
  record.cases.pop_back();
  record.cases[0].on_device = OnDevice{.name = "cuda"};
  if (kernels) record.cases[0].on_device->work = DeviceWork{.kernels = *kernels, .kernel_time_s = 3e-6};
  return record;
}

TEST(Course, KernelsAreFollowedBesideTheCountAndOneMoreIsAChange) {
  const History followed = history({on_device(1000), on_device(1000), on_device(1001), on_device({}), on_device(1001)});
  ASSERT_EQ(followed.cases.size(), 2);
  EXPECT_EQ(followed.place_of("first"), 0);
  EXPECT_EQ(followed.cases[1].of, SeriesOf::device);
  EXPECT_EQ(followed.cases[1].id, "first");
  EXPECT_EQ(name_of(followed.cases[1]), "first kernels");
  EXPECT_EQ(followed.cases[1].points[0].time_s, 3e-6);
  EXPECT_EQ(followed.cases[1].time_metric(), Metric::device_time);
  const Course course = tally::course_of(followed, {});
  EXPECT_THAT(course.entries[1].steps, IsEmpty());
  ASSERT_EQ(course.entries[2].steps.size(), 1) << "a thousandth is less than is a change of any other figure";
  const CountStep& step = course.entries[2].steps[0];
  EXPECT_EQ(step.of, 1);
  EXPECT_EQ(step.counts.metric, Metric::kernels);
  EXPECT_EQ(step.counts.before, 1000);
  EXPECT_EQ(step.counts.after, 1001);
  EXPECT_TRUE(step.is_slower());
  EXPECT_EQ(course.entries[2].compared, 1) << "of cases";
  EXPECT_EQ(course.entries[2].geometric_mean, 1) << "of instructions";
  EXPECT_THAT(course.entries[3].failed, IsEmpty());
  EXPECT_THAT(course.entries[4].steps, IsEmpty()) << "what is not known is passed over";
}

TEST(Course, KernelsOfAnotherMachineAreNotCompared) {
  Record other = on_device(9);
  other.environments["torch [python]"].machine = {{{"gpu", "another"}}};
  const Course course = course_of({on_device(7), other});
  EXPECT_THAT(course.entries[1].steps, IsEmpty());
  ASSERT_EQ(course.entries[1].seams.size(), 1);
  EXPECT_EQ(course.entries[1].seams[0].of, 1) << "its count does not depend on that";
  EXPECT_EQ(course.entries[1].seams[0].why, "measured on another machine, whose libraries may choose other kernels");
}

TEST(Course, ACaseThatFailedIsComparedWithWhatWasBefore) {
  Record broken = run_with(10000);
  broken.cases[0].status = CaseStatus::crashed;
  broken.cases[0].counts.reset();
  const Course course = course_of({run_with(10000), broken, run_with(11000)});
  EXPECT_THAT(course.entries[1].failed, ElementsAre(kFirst));
  EXPECT_EQ(course.entries[1].compared, 1);
  ASSERT_EQ(course.entries[2].steps.size(), 1);
  EXPECT_EQ(course.entries[2].steps[0].since, 0);
}

Record run_that_reports(double value, const std::string& unit = "ms") {
  Record record = example_record();
  record.cases = {example_case("first", 1000), example_case("second", 1000)};
  record.cases[0].counts.reset();
  record.cases[0].wall.reset();
  record.cases[0].reported = Reported{.value = value, .unit = unit};
  return record;
}

TEST(Course, WhatABenchmarkReportsIsFollowedAsACountIs) {
  const Course course = course_of({run_that_reports(-10), run_that_reports(-10.05), run_that_reports(-5),
                                   run_that_reports(-5, "s"), run_with(2000), run_that_reports(7)});
  EXPECT_THAT(course.entries[1].steps, IsEmpty());  // Less than a hundredth.
  EXPECT_EQ(course.entries[1].compared, 2);
  ASSERT_EQ(course.entries[2].steps.size(), 1);
  const CountStep& step = course.entries[2].steps[0];
  EXPECT_EQ(step.counts.metric, Metric::value);
  EXPECT_EQ(step.counts.unit, "ms");
  EXPECT_TRUE(step.is_slower());
  EXPECT_NEAR(step.counts.change, 5.05 / 10.05, 1e-12);
  EXPECT_DOUBLE_EQ(course.entries[2].geometric_mean, 1);  // Of counts alone.
  ASSERT_EQ(course.entries[3].seams.size(), 1);
  EXPECT_EQ(course.entries[3].seams[0].why, "its unit is 's' instead of 'ms'");
  ASSERT_EQ(course.entries[4].seams.size(), 1);
  EXPECT_EQ(course.entries[4].seams[0].why, "its instructions stand against its value");
  ASSERT_EQ(course.entries[5].seams.size(), 1);
}

TEST(Course, APeakOfMemoryMovesWhenItLeavesItsRange) {
  const auto run_of = [](std::uint64_t bytes) {
    Record record = run_that_reports(0);
    record.cases[0].reported.reset();
    record.cases[0].language = "python";
    record.cases[0].used = ResourceUse{};
    record.cases[0].used->peak_bytes = bytes;
    return record;
  };
  const Course course = course_of({run_of(20 << 20), run_of((20 << 20) + 900000), run_of(30 << 20)});
  EXPECT_THAT(course.entries[1].steps, IsEmpty());
  ASSERT_EQ(course.entries[2].steps.size(), 1);
  EXPECT_EQ(course.entries[2].steps[0].counts.metric, Metric::memory);
  EXPECT_EQ(course.entries[2].steps[0].counts.unit, "bytes");
}

TEST(Course, AnotherDefinitionOrAnotherWayToCountIsASeam) {
  Record defined = run_with(20000);
  defined.cases[0].definition.digest = "another";
  Record simulated = defined;
  simulated.settings.cache_sim = true;
  const Course course = course_of({run_with(10000), defined, simulated});
  ASSERT_EQ(course.entries[1].seams.size(), 1);
  EXPECT_EQ(course.entries[1].seams[0].of, kFirst);
  EXPECT_EQ(course.entries[1].seams[0].why, "the definition changed under this id");
  EXPECT_THAT(course.entries[1].steps, IsEmpty());
  EXPECT_EQ(course.entries[2].seams.size(), 2);
}

TEST(Course, WhatStaysBelowTheThresholdAddsUp) {
  // The threshold is 0.1 %, 10 of 10,000: none of these is a change, together they are.
  const Course course =
      course_of({run_with(10000), run_with(10008), run_with(10008), run_with(10006), run_with(10014), run_with(10022)});
  for (const CourseEntry& entry : course.entries) EXPECT_THAT(entry.steps, IsEmpty());
  ASSERT_EQ(course.drifts.size(), 1);
  EXPECT_EQ(course.drifts[0].of, kFirst);
  EXPECT_EQ(course.drifts[0].since, 0);
  EXPECT_DOUBLE_EQ(course.drifts[0].counts.after, 10022);
  EXPECT_THAT(course.drifts[0].contributors, ElementsAre(1, 4, 5));
}

TEST(Course, OfOneCaseHasAPointForEachRunThatCountedIt) {
  using Kind = CoursePoint::Kind;
  Record failed = run_with(11000);
  failed.cases[0].status = CaseStatus::failed;
  const std::vector<Record> records = {run_with(10000), run_with(11000), failed, run_with(11000)};
  const History of = history(records);
  const auto points = course_of_case(of, of.cases[kFirst], {});
  ASSERT_EQ(points.size(), 3);
  EXPECT_EQ(points[0].kind, Kind::first);
  EXPECT_EQ(points[1].kind, Kind::step);
  EXPECT_EQ(points[2].kind, Kind::same);
  EXPECT_EQ(points[2].since, 1);
}

TEST(Course, AnotherEnvironmentBeginsAnewWhereNoCommitWasMeasuredInBoth) {
  const Course course = course_of({run_with(10000), in_environment(run_with(12000), "other"), run_with(12000)});
  ASSERT_TRUE(course.entries[1].epoch);
  EXPECT_FALSE(course.entries[1].epoch->is_bridged);
  EXPECT_THAT(course.entries[1].steps, IsEmpty());
  EXPECT_THAT(course.entries[1].seams, IsEmpty());
  EXPECT_EQ(course.entries[1].compared, 0);
  EXPECT_FALSE(course.entries[0].epoch);
  EXPECT_TRUE(course.entries[2].epoch);  // Back in the first.
}

TEST(Course, ACommitMeasuredInBothJoinsEqualCountsAndChainsOthers) {
  const auto later = [](double first, double second) { return in_environment(run_with(first, second), "other"); };
  // The second commit in both environments, then the third, at which the second case rises.
  const Course course =
      course_of({run_with(10000), run_with(10000), later(10000, 1200), later(10000, 1500)}, {0, 1, 1, 2});
  const std::optional<EpochStart>& epoch = course.entries[2].epoch;
  ASSERT_TRUE(epoch);
  EXPECT_TRUE(epoch->is_bridged);
  EXPECT_EQ(epoch->joined, 1);
  ASSERT_EQ(epoch->chained.size(), 1);
  EXPECT_EQ(epoch->chained[0].of, kSecond);
  EXPECT_NEAR(epoch->chained[0].counts.change, 0.2, 1e-12);
  EXPECT_THAT(course.entries[2].steps, IsEmpty());
  ASSERT_EQ(course.entries[3].steps.size(), 1);
  EXPECT_EQ(course.entries[3].steps[0].of, kSecond);
  EXPECT_NEAR(course.entries[3].steps[0].counts.change, 0.25, 1e-12);
}

TEST(Course, ADriftContinuesOverABridge) {
  const auto later = [](double first) { return in_environment(run_with(first), "other"); };
  const Course course = course_of({run_with(10000), run_with(10008), later(10008), later(10016)}, {0, 1, 1, 2});
  ASSERT_EQ(course.drifts.size(), 1);
  EXPECT_EQ(course.drifts[0].since, 0);
  EXPECT_THAT(course.drifts[0].contributors, ElementsAre(1, 3));
}

/// 0.08 % a run, below the threshold each time: 10,000, 10,008, 10,016, …
Course drifting(std::vector<AgreedAt> agreed, std::size_t runs = 6) {
  std::vector<Record> records;
  records.reserve(runs);
  for (std::size_t i = 0; i < runs; ++i) records.push_back(run_with(10000 + 8 * static_cast<double>(i)));
  return tally::course_of(history(records), {.agreed = std::move(agreed)});
}

AgreedAt agreement(std::size_t run, double up_to, const std::string& cases = "first*") {
  return {.run = run,
          .by = {.cases = cases,
                 .up_to = up_to,
                 .reason = "agreed",
                 .expires = {},
                 .commit = {},
                 .owner = {},
                 .issue = {},
                 .where = {}}};
}

TEST(Course, AnAcknowledgedDriftIsReportedWhenItDriftsOn) {
  ASSERT_EQ(drifting({}).drifts.size(), 1);
  EXPECT_THAT(drifting({}).settled, IsEmpty());

  const Course agreed = drifting({agreement(4, 0.005)});
  EXPECT_THAT(agreed.drifts, IsEmpty());
  ASSERT_EQ(agreed.settled.size(), 1);
  EXPECT_EQ(agreed.settled[0].drift.since, 0);
  EXPECT_EQ(agreed.settled[0].drift.until, 4);
  EXPECT_NEAR(agreed.settled[0].drift.counts.change, 0.0032, 1e-12);
  EXPECT_EQ(agreed.settled[0].by.reason, "agreed");

  const Course on = drifting({agreement(4, 0.005)}, 9);
  ASSERT_EQ(on.drifts.size(), 1);
  EXPECT_EQ(on.drifts[0].since, 4);
  EXPECT_EQ(on.drifts[0].until, 8);
  EXPECT_THAT(on.drifts[0].contributors, ElementsAre(5, 6, 7, 8));
}

TEST(Course, AnAgreementHoldsForWhatItCovers) {
  for (const AgreedAt& one : {agreement(4, 0.003), agreement(4, 0.005, "second*")}) {
    const Course course = drifting({one});
    EXPECT_THAT(course.settled, IsEmpty());
    ASSERT_EQ(course.drifts.size(), 1);
    EXPECT_EQ(course.drifts[0].since, 0);
  }
}

}  // namespace
}  // namespace tally
