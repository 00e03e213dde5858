#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/example_record.h"
#include "report/history/exports.h"
#include "report/history/text.h"
#include "report/history/view.h"

namespace tally {
namespace {

using testing::HasSubstr;
using testing::Not;

struct HistoryText : testing::Test {
  /// A run of "first" and "second", of which those named fail.
  void add(const std::vector<std::string>& failing) {
    Record record = example_record();
    record.cases = {example_case("first", 1000), example_case("second", 1000)};
    for (CaseRecord& one : record.cases) {
      if (std::ranges::find(failing, one.id) == failing.end()) continue;
      one.status = CaseStatus::failed;
      one.counts.reset();
    }
    records.push_back(record);
  }
  [[nodiscard]] std::string log() const { return render_log(view(), {}); }
  [[nodiscard]] HistoryView view() const {
    std::vector<const Record*> runs;
    CommitLine line;
    for (const Record& record : records) {
      line.measured.push_back(runs.size());
      line.commits.push_back({.id = std::to_string(1111111111 * (runs.size() + 1)), .author = "Ada", .title = "t"});
      runs.push_back(&record);
    }
    HistoryView view{.history = history_of("suite.toml", line, runs), .course = {}, .times = {}, .accepted = {}};
    view.course = course_of(view.history, {});
    return view;
  }

  std::vector<Record> records;
};

TEST_F(HistoryText, WhatFailsForLongIsReportedWhereItBegan) {
  add({});
  add({"second"});
  add({"second"});
  add({"first", "second"});
  add({});
  const std::string text = log();
  EXPECT_THAT(text, HasSubstr("4444444444  Ada  t\n    failed  first\n    1 case fails as before\n"));
  EXPECT_THAT(text, Not(HasSubstr("3333333333")));
  EXPECT_THAT(text, HasSubstr("2222222222  Ada  t\n"));
  EXPECT_THAT(text, HasSubstr("    failed  second\n"));
  EXPECT_THAT(text, HasSubstr("3 commits with nothing new"));
}

TEST_F(HistoryText, KernelsAreFollowedLikeCountsAndTheirTimeLikeTimes) {
  for (const double kernels : {8, 8, 10}) {
    add({});
    records.back().cases[0].on_device = OnDevice{.name = "cuda"};
    records.back().cases[0].on_device->work = DeviceWork{.kernels = kernels, .kernel_time_s = kernels / 8};
  }
  HistoryView shown = view();
  shown.times = {{.of = 1, .run = 2, .since = 1, .point = {.before = 1, .after = 1.25, .p_value = 0.001}}};
  const std::string text = render_log(shown, {});
  EXPECT_THAT(text, HasSubstr("    0 of 2 cases changed, geometric mean 0 %\n"
                              "    +25 %  first  8 kernels → 10 kernels\n"
                              "    device_time  +25 % (p 0.001)  first  1.00 s → 1.25 s\n"));
  EXPECT_THAT(text, HasSubstr("1 change, 1 unacknowledged"));
  EXPECT_THAT(log_to_csv(shown), HasSubstr(",1,first,1,1.25,0.25,,device_time_s,0.001,false\n"));
  EXPECT_THAT(log_to_csv(shown), HasSubstr(",1,first,8,10,0.25,false,kernels,,\n"));
  shown.accepted = {{.cases = "first", .metric = Metric::instructions, .up_to = 1, .expires = "2099-01-01"}};
  EXPECT_EQ(shown.findings(), 1U) << "an entry is about one metric";
  shown.accepted.front().metric = Metric::kernels;
  EXPECT_EQ(shown.findings(), 0U);
  const std::vector<CaseCourse> courses = {
      {.of = 0, .points = course_of_case(shown.history, shown.history.cases[0], {})},
      {.of = 1, .points = course_of_case(shown.history, shown.history.cases[1], {})}};
  EXPECT_THAT(course_to_json(shown, courses), HasSubstr("\"kernels\": 10"));
  EXPECT_THAT(course_to_csv(shown, courses), HasSubstr(",,1.25,true,0.25,kernels,10,kernels\n"));
  EXPECT_THAT(render_course(shown, courses[1], {}), testing::StartsWith("first kernels\n"));
}

}  // namespace
}  // namespace tally
