#include "report/text/bisect_report.h"

#include <gmock/gmock.h>

#include "base/golden.h"
#include "json/text.h"

namespace tally {
namespace {

CommitName commit(int number) {
  return {.id = std::to_string(number) + std::string(39, 'a'),
          .author = number % 2 == 0 ? "Ada" : "Grace",
          .title = "Commit " + std::to_string(number)};
}

CountChange counts(double before, double after) {
  return {.before = before, .after = after, .change = after / before - 1, .threshold = before / 1000};
}

BisectReport example() {
  BisectReport report;
  report.good = commit(1);
  report.bad = commit(9);
  report.commits = 40;
  report.cases = 12;
  report.changed = 4;
  report.builds = 14;
  report.measured = 10;
  report.same_built = 1;
  report.same_files = 1;
  report.stored = 2;
  report.not_compared = {{"words/new [cpp]", commit(1), "there is no such case"}};
  report.changes.push_back({.id = "words/sum [cpp]",
                            .counts = counts(2007, 6508),
                            .candidates = {commit(2)},
                            .functions = {{.object = "x", .name = "sum(int)", .before = 1000, .after = 5000},
                                          {.object = "x", .name = "helper", .before = 10, .after = 511},
                                          {.object = "x", .name = "other", .before = 10, .after = 11}}});
  report.changes.push_back({.id = "words/count [cpp]",
                            .counts = counts(1000, 1200),
                            .candidates = {commit(3), commit(4), commit(5)},
                            .unmeasurable = 2});
  report.changes.push_back(
      {.id = "words/sum [cpp]", .counts = counts(6508, 6000), .candidates = {commit(6)}, .merge = commit(7)});
  report.changes.push_back(
      {.id = "words/fill [cpp]", .counts = counts(100, 200), .candidates = {commit(7)}, .is_of_merge = true});
  report.changes.push_back({.id = "words/slow [cpp]",
                            .counts = counts(100000, 100300),
                            .candidates = {commit(6), commit(7), commit(8), commit(9)},
                            .is_drift = true,
                            .contributors = {{commit(6)}, {commit(8), commit(9)}}});
  report.unbuilt = {{commit(3), "could not be built: the build command exited with code 2", "/cache/logs/3.log"}};
  return report;
}

TEST(BisectReport, IsGolden) {
  expect_golden("report/bisect.txt", render_bisect(example(), 2, {.width = 120, .color = false}));
  const std::string text = bisect_to_json(example());
  ASSERT_TRUE(json::parse(text));
  expect_golden("report/bisect.json", text);
}

TEST(BisectReport, WhatIsNotAtItsEndSaysSo) {
  BisectReport report = example();
  report.is_whole = false;
  EXPECT_THAT(render_bisect(report, 2, {}), testing::HasSubstr("stopped by --limit; the same command continues"));
}

}  // namespace
}  // namespace tally
