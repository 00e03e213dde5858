#include "report/history/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/golden.h"
#include "json/text.h"
#include "profile/callgrind.h"
#include "report/history/badge.h"
#include "report/history/columns.h"
#include "report/history/example_history.h"
#include "report/history/feed.h"
#include "report/history/site_data.h"
#include "report/history/text.h"

namespace tally {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

SiteFileNames names_for(const HistoryView& view) {
  SiteFileNames names;
  for (std::size_t of = 0; of < view.history.cases.size(); ++of) names.cases.push_back(fmt::format("case-{}", of));
  return names;
}

json::Value data_of(const HistoryView& view) { return site_data({.view = &view}, names_for(view)); }

const SiteFile& page_of(const std::vector<SiteFile>& files) { return files.back(); }

TEST(HistorySite, SaysWhatThePageReads) {
  const HistoryView view = example_history();
  expect_golden("history_site/data.json", json::to_text(data_of(view), 1) + "\n");
}

TEST(HistorySite, FeedAndBadge) {
  const HistoryView view = example_history();
  expect_golden("history_site/feed.xml",
                render_feed({.view = &view, .title = "words", .url = "https://example.org/w/"}));
  expect_golden("history_site/badge.svg", render_badge(view));
}

TEST(HistorySite, TheBadgeSaysWhenNothingIsWrong) {
  HistoryView view = example_history();
  view.accepted = {{.cases = "*", .up_to = 100, .reason = "all of it", .expires = "2027-01-01"}};
  EXPECT_THAT(render_badge(view), HasSubstr("no regressions"));
}

TEST(HistorySite, ThePageComesLastAndDataIsCalledByItsContent) {
  const HistoryView view = example_history();
  const auto files = render_history_site({.view = &view});
  EXPECT_EQ(page_of(files).name, "index.html");
  // All cases but the one that was never counted, which has nothing to load.
  const auto data = std::ranges::count_if(files, [](const SiteFile& file) { return file.name.starts_with("data/"); });
  EXPECT_EQ(static_cast<std::size_t>(data), view.history.cases.size() - 1);
  for (const SiteFile& file : files) {
    if (!file.name.starts_with("data/")) continue;
    EXPECT_THAT(file.name, MatchesRegex("data/[0-9a-f]{16}.js"));
    EXPECT_THAT(file.text, MatchesRegex("tallyData\\(\"[0-9a-f]{16}\",\"[A-Za-z0-9+/=]+\"\\)\n"));
    EXPECT_THAT(page_of(files).text, HasSubstr(file.name.substr(5, 16)));
  }
}

TEST(HistorySite, NothingOfOthersIsMarkup) {
  const HistoryView view = example_history();
  for (const SiteFile& file : render_history_site({.view = &view, .title = kEvilText, .url = "https://x/\"<b>"})) {
    EXPECT_THAT(file.text, Not(HasSubstr("<img"))) << file.name;
    EXPECT_THAT(file.text, Not(HasSubstr("<script>document.title"))) << file.name;
    EXPECT_THAT(file.text, Not(HasSubstr("<b>"))) << file.name;
  }
}

TEST(HistorySite, ThePageAsksTheNetworkForNothing) {
  const HistoryView view = example_history();
  const auto files = render_history_site({.view = &view});
  EXPECT_THAT(page_of(files).text, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page_of(files).text, Not(HasSubstr("src=\"http")));
}

TEST(HistorySite, StepsOfKeptProfilesHaveTheirFunctions) {
  const HistoryView view = example_history();
  const auto profiles = [](std::size_t of, std::size_t run, ProfileOf) -> std::optional<StoredProfile> {
    if (of != 2) return std::nullopt;  // words/sum, which changed at the third run
    const int own = run < 2 ? 2007 : 6508;
    return StoredProfile{*parse_callgrind(fmt::format("events: Ir\nfn=f\n1 {0}\ntotals: {0}\n", own * 100)), 100};
  };
  const auto with = render_history_site({.view = &view, .profiles = profiles});
  const auto without = render_history_site({.view = &view});
  EXPECT_EQ(with.size(), without.size() + 1);
}

/// As many runs, one after the other, of one processor.
History history_of(std::size_t runs, const Basis& basis = {}) {
  History history;
  history.bases = {basis};
  history.runs.assign(runs, HistoryRun{.environment = {}, .parts = {StoredPart()}});
  return history;
}

TEST(HistoryColumns, AreDifferencesInUnitsThatKeepFiveFigures) {
  CaseSeries series = example_series("a [cpp]", {1000.5, 1000.5, -1, 1200});
  series.points[1].time_s = SeriesPoint::kNone;
  expect_golden("history_site/series.json", json::to_text(series_json(series, history_of(4)), 1) + "\n");
}

TEST(HistoryColumns, ValuesOfAnySizeKeepNineFigures) {
  const History history = history_of(2, {.metric = Metric::value, .unit = "ms"});
  const auto scale_of = [&](const std::vector<double>& values) {
    return series_json(example_series("a", values), history)["scale"].number().value_or(0);
  };
  EXPECT_DOUBLE_EQ(scale_of({0.00012, 0.5}), 1e12);
  EXPECT_DOUBLE_EQ(scale_of({2.5e12, 3e12}), 1e-4);
  // A double has no more whole numbers.
  EXPECT_DOUBLE_EQ(scale_of({1e-9, 1e9}), 1e6);
}

TEST(HistoryColumns, TimesSayOfWhichProcessorTheyAreWhereThereAreSeveral) {
  History history = history_of(3);
  const CaseSeries series = example_series("a [cpp]", {10, 20, 30});
  EXPECT_FALSE(series_json(series, history)["time"].has("processor"));
  history.runs[1].parts[0].processor = "another";
  EXPECT_EQ(json::to_text(series_json(series, history)["time"]["processor"]), "[0,1,0]");
}

TEST(HistorySite, AValueHasItsUnitFromTheRunOnAtWhichItHasIt) {
  HistoryView view = example_history();
  History& history = view.history;
  history.bases.push_back({.definition = "d3", .metric = Metric::value, .unit = "ms"});
  history.bases.push_back({.definition = "d3", .metric = Metric::value, .unit = "s"});
  for (SeriesPoint& point : history.cases[0].points) point.basis = point.run < 4 ? 2 : 3;
  const json::Value data = data_of(view);
  EXPECT_EQ(json::to_text(data["cases"][std::size_t{0}]["units"]), R"([[0,"ms"],[4,"s"]])");
  EXPECT_FALSE(data["cases"][std::size_t{1}].has("units"));
}

TEST(HistoryColumns, ACourseInSmallIsAShareOfItsHeight) {
  EXPECT_EQ(json::to_text(spark_json(example_series("a [cpp]", {10, 20, -1, 15}))), "[0,99,50]");
  EXPECT_EQ(json::to_text(spark_json(example_series("a [cpp]", {7, 7}))), "[50,50]");
  EXPECT_EQ(spark_json(example_series("a [cpp]", std::vector<double>(1000, 3))).size(), 60U);
  EXPECT_TRUE(spark_json(example_series("a [cpp]", {-1})).empty());
}

}  // namespace
}  // namespace tally
