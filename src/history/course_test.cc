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

Course course_of(const std::vector<Record>& records) {
  std::vector<const Record*> runs;
  runs.reserve(records.size());
  for (const Record& record : records) runs.push_back(&record);
  return tally::course_of(runs, {});
}

TEST(Course, AChangeBelongsToTheRunThatHasItFirst) {
  const Course course =
      course_of({run_with(10000), run_with(10000), run_with(11000), run_with(11000), run_with(10000)});
  ASSERT_EQ(course.entries.size(), 5);
  EXPECT_EQ(course.entries[0].compared, 0);
  EXPECT_THAT(course.entries[1].steps, IsEmpty());
  ASSERT_EQ(course.entries[2].steps.size(), 1);
  EXPECT_EQ(course.entries[2].steps[0].id, "first");
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

TEST(Course, ACaseThatFailedIsComparedWithWhatWasBefore) {
  Record broken = run_with(10000);
  broken.cases[0].status = CaseStatus::crashed;
  broken.cases[0].counts.reset();
  const Course course = course_of({run_with(10000), broken, run_with(11000)});
  EXPECT_THAT(course.entries[1].failed, ElementsAre("first"));
  EXPECT_EQ(course.entries[1].compared, 1);
  ASSERT_EQ(course.entries[2].steps.size(), 1);
  EXPECT_EQ(course.entries[2].steps[0].since, 0);
}

TEST(Course, AnotherDefinitionOrAnotherWayToCountIsASeam) {
  Record defined = run_with(20000);
  defined.cases[0].definition.digest = "another";
  Record simulated = defined;
  simulated.settings.cache_sim = true;
  const Course course = course_of({run_with(10000), defined, simulated});
  ASSERT_EQ(course.entries[1].seams.size(), 1);
  EXPECT_EQ(course.entries[1].seams[0].id, "first");
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
  EXPECT_EQ(course.drifts[0].id, "first");
  EXPECT_EQ(course.drifts[0].since, 0);
  EXPECT_DOUBLE_EQ(course.drifts[0].counts.after, 10022);
  EXPECT_THAT(course.drifts[0].contributors, ElementsAre(1, 4, 5));
}

TEST(Course, OfOneCaseHasAPointForEachRunThatCountedIt) {
  const std::vector<Record> records = {run_with(10000), run_with(11000), run_with(11000)};
  const std::vector<const Record*> runs = {records.data(), &records[1], &records[2]};
  const auto points = course_of_case(runs, "first", {});
  ASSERT_EQ(points.size(), 3);
  EXPECT_FALSE(points[0].is_step);
  EXPECT_TRUE(points[1].is_step);
  EXPECT_FALSE(points[2].is_step);
  EXPECT_THAT(course_of_case(runs, "third", {}), IsEmpty());
}

}  // namespace
}  // namespace tally
