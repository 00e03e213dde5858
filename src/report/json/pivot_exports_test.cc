#include "report/json/pivot_exports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/golden.h"
#include "json/text.h"
#include "record/example_record.h"
#include "report/json/growth_json.h"
#include "report/text/pivot_table.h"

namespace tally {
namespace {

using testing::HasSubstr;
using testing::Not;

CaseRecord case_of(const std::string& label, const std::string& language, const std::string& n, double count) {
  CaseRecord one = example_case(label + " [" + language + " n=" + n + "]", count);
  one.label = {"Growth", label};
  one.language = language;
  one.params = {{"n", n}};
  return one;
}

/// Counts of a real run of docs/guides/table.md's suite; one case failed, one has no n, and one is named by a formula.
Record growth() {
  Record record = example_record();
  record.cases.clear();
  const std::vector<std::string> numbers = {"4", "16", "64", "256", "1024"};
  const auto add = [&](const std::string& label, const std::string& language, const std::vector<double>& counts) {
    for (std::size_t i = 0; i < counts.size(); ++i)
      record.cases.push_back(case_of(label, language, numbers[i], counts[i]));
  };
  add("sort", "python", {1499, 3096, 12274, 62079, 306321});
  add("sort", "cpp", {293.01, 665.01, 3507.01, 17196.01, 85944.66});
  add("find by halves", "python", {669, 945, 1221, 1497, 1773});
  add("find by halves", "cpp", {46, 70, 94, 118, 142});
  add("=1+1 | *b*", "cpp", {188, 188});
  CaseRecord& failed = record.cases.back();
  failed.status = CaseStatus::timeout;
  failed.counts.reset();
  record.cases.front().flags = {"counts_vary"};
  CaseRecord alone = case_of("alone", "cpp", "", 5);
  alone.params.clear();
  record.cases.push_back(alone);
  return record;
}

TEST(Golden, Pivot) {
  const Record record = growth();
  const Result<Pivot> columns = pivot(record, {});
  const Result<Pivot> rows = pivot(record, {.rows = {"n"}, .columns = {"language"}});
  ASSERT_TRUE(columns && rows);
  expect_golden("report/table_columns.txt", render_pivot(*columns, {.width = 100}, false));
  expect_golden("report/table_rows_best.txt", render_pivot(*rows, {.width = 100}, true));
  expect_golden("report/table.md", to_markdown(*rows, true));
  expect_golden("report/table.csv", to_csv(*columns));
  expect_golden("report/table.json", to_json(*rows));
  const Result<Pivot> times = pivot(record, {.columns = {"language"}, .metric = Metric::time});
  ASSERT_TRUE(times);
  EXPECT_THAT(render_pivot(*times, {.width = 100}, false), HasSubstr("1.01 µs"));
}

TEST(PivotTable, EachMetricHasItsTitleAndItsUnit) {
  Record record = example_record();
  record.cases = {case_of("track", "python", "1", 5), case_of("track", "cpp", "1", 5),
                  case_of("other", "python", "1", 5), case_of("other", "cpp", "1", 5)};
  record.cases[0].reported = Reported{.value = 12.5, .unit = "levels"};
  record.cases[1].reported = Reported{.value = 7, .unit = "s"};
  record.cases[2].reported = Reported{.value = 3, .unit = "s"};
  record.cases[3].reported = Reported{.value = 2, .unit = "s"};
  for (CaseRecord& one : record.cases) {
    one.used = ResourceUse{.peak_bytes = 5 << 20};
    one.on_device = OnDevice{.name = "cuda", .work = DeviceWork{.kernels = 2, .kernel_time_s = 2e-6}};
    one.on_device->launch = DeviceTime{.median_s = 1e-6, .interval_s = {.low = 1e-6, .high = 1e-6}};
  }
  const auto table = [&](Metric metric) {
    return render_pivot(*pivot(record, {.columns = {"language"}, .metric = metric}), {.width = 100}, true);
  };
  EXPECT_THAT(table(Metric::memory), testing::AllOf(testing::StartsWith("peak memory\n"), HasSubstr("5.0 MiB")));
  const std::string values = table(Metric::value);
  EXPECT_THAT(values, testing::AllOf(testing::StartsWith("what each case reports\n"), HasSubstr(" 12.5 levels"),
                                     HasSubstr("! 3 s"), HasSubstr("* 2 s"), Not(HasSubstr("* 7 s"))));
  EXPECT_THAT(table(Metric::device_time),
              testing::AllOf(testing::StartsWith("the kernels' own time for one execution\n"), HasSubstr("2.00 µs")));
  EXPECT_THAT(table(Metric::launch_time), testing::StartsWith("the host's part of the time for one execution\n"));
  EXPECT_THAT(table(Metric::kernels), testing::StartsWith("kernels per iteration\n"));
  const auto json = json::parse(to_json(*pivot(record, {.columns = {"language"}, .metric = Metric::value})));
  EXPECT_EQ((*json)["sections"][0]["rows"][0]["cells"][0]["unit"].text_or(""), "levels");
}

TEST(PivotTable, ColoursTakeThePlaceOfSigns) {
  const Record record = growth();
  const Result<Pivot> made = pivot(record, {.rows = {"n"}, .columns = {"language"}});
  const std::string colored = render_pivot(*made, {.width = 100, .color = true}, true);
  EXPECT_THAT(colored, HasSubstr("\x1b[32m293.01\x1b[0m"));
  EXPECT_THAT(colored, HasSubstr("\x1b[31m1,499\x1b[0m"));
  EXPECT_THAT(colored, Not(HasSubstr("* ")));
  EXPECT_THAT(render_pivot(*made, {.width = 100}, false), Not(HasSubstr("best of its row")));
}

TEST(PivotTable, EveryFitIsInTheJson) {
  const Record record = growth();
  const Result<json::Value> parsed = json::parse(to_json(*pivot(record, {})));
  ASSERT_TRUE(parsed);
  const json::Value& row = (*parsed)["sections"][0]["rows"][3];
  EXPECT_EQ(row["heading"]["label"].text_or(""), "Growth / find by halves");
  EXPECT_EQ(row["complexity"]["order"].text_or(""), "O(log n)");
  EXPECT_EQ(row["complexity"]["fits"].size(), kAllOrders.size());
  EXPECT_NEAR(*row["complexity"]["fits"][1]["constant"].number(), 22, 1e-9);
  EXPECT_EQ((*parsed)["left_out"].size(), 1U);
}

TEST(Growth, OfAPageHasALineForEachVariantOfABenchmark) {
  const Record record = growth();
  const json::Value all = growth_json(record);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0]["axis"].text_or(""), "n");
  EXPECT_EQ(all[0]["label"].text_or(""), "Growth / sort");
  EXPECT_EQ(all[0]["lines"].size(), 2U);
  EXPECT_EQ(all[0]["lines"][0]["variant"].text_or(""), "py");
  EXPECT_EQ(*all[0]["lines"][1]["points"][2][0].number(), 64);
  EXPECT_EQ(*all[0]["lines"][1]["points"][2][1].number(), 7);
  EXPECT_EQ(all[0]["lines"][0]["counts"]["order"].text_or(""), "O(n log n)");
  EXPECT_EQ(all[1]["lines"][1]["counts"]["order"].text_or(""), "O(log n)");
  // Two points are drawn and not fitted.
  EXPECT_TRUE(all[2]["lines"][0]["counts"].is_null());
}

TEST(Growth, LinesOfTwoDevicesHaveTwoNames) {
  Record record = growth();
  std::vector<CaseRecord> on_device = record.cases;
  for (CaseRecord& one : on_device) {
    one.id += " cuda";
    one.device = "cuda";
  }
  record.cases.insert(record.cases.end(), on_device.begin(), on_device.end());
  const json::Value all = growth_json(record);
  std::vector<std::string> names;
  names.reserve(all[0]["lines"].size());
  for (std::size_t i = 0; i < all[0]["lines"].size(); ++i)
    names.emplace_back(all[0]["lines"][i]["variant"].text_or(""));
  EXPECT_THAT(names, testing::UnorderedElementsAre("py", "cpp", "py cuda", "cpp cuda"));
}

}  // namespace
}  // namespace tally
