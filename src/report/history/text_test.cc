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
  [[nodiscard]] std::string log() const {
    std::vector<const Record*> runs;
    CommitLine line;
    for (const Record& record : records) {
      line.measured.push_back(runs.size());
      line.commits.push_back({.id = std::to_string(1111111111 * (runs.size() + 1)), .author = "Ada", .title = "t"});
      runs.push_back(&record);
    }
    HistoryView view{.history = history_of("suite.toml", line, runs), .course = {}, .times = {}, .accepted = {}};
    view.course = course_of(view.history, {});
    return render_log(view, {});
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

}  // namespace
}  // namespace tally
