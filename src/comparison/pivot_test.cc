#include "comparison/pivot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/example_record.h"

namespace tally {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CaseRecord case_of(const std::string& label, const std::string& language, const std::string& n, double count) {
  CaseRecord one = example_case(label + " [" + language + " n=" + n + "]", count);
  one.label = {label};
  one.language = language;
  one.params = {{"n", n}};
  if (n.empty()) one.params.clear();
  return one;
}

Record growing_record() {
  Record record = example_record();
  record.cases.clear();
  // 100 comes first: columns are in the order of numbers, not of the plan or of text.
  for (const std::string n : {"100", "4", "20"}) {
    const double number = std::stod(n);
    record.cases.push_back(case_of("sum", "python", n, 100 + 10 * number));
    record.cases.push_back(case_of("sum", "cpp", n, 10 + number));
    record.cases.push_back(case_of("pairs", "cpp", n, number * number));
  }
  record.cases.push_back(case_of("alone", "cpp", "", 5));
  return record;
}

TEST(Axes, AreTheIdsWordsAndParametersWithTheirValues) {
  const std::vector<Axis> axes = axes_of(growing_record());
  std::vector<std::string> names;
  names.reserve(axes.size());
  for (const Axis& axis : axes) names.push_back(axis.name);
  EXPECT_THAT(names, ElementsAre("label", "language", "runtime", "autograd", "threads", "n"));
  EXPECT_THAT(axes.back().values, ElementsAre("4", "20", "100"));
  EXPECT_TRUE(axes.back().numeric);
  EXPECT_TRUE(axes[4].numeric);
  EXPECT_FALSE(axes[1].numeric);
}

TEST(Axes, ANumberIsWhollyANumber) {
  EXPECT_EQ(number_in("64"), 64);
  EXPECT_EQ(number_in("1e6"), 1e6);
  EXPECT_EQ(number_in("0.5"), 0.5);
  for (const char* text : {"", "64k", "int", "nan", "inf", "4 4", "0x10"}) EXPECT_FALSE(number_in(text)) << text;
}

TEST(Axes, SeriesAreCasesThatDifferByANumberAlone) {
  const Record record = growing_record();
  const std::vector<Series> all = series_of(record);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].axis, "n");
  EXPECT_EQ(all[0].points.front().of->id, "sum [python n=4]");
  EXPECT_EQ(all[0].points.back().n, 100);
  EXPECT_EQ(complexity_of(all[0], Metric::instructions)->best, Order::linear);
  EXPECT_EQ(complexity_of(all[2], Metric::instructions)->best, Order::quadratic);
}

TEST(Axes, ThreadsMakeASeriesToo) {
  Record record = growing_record();
  record.cases.resize(1);
  for (const int threads : {2, 4}) {
    record.cases.push_back(record.cases.front());
    record.cases.back().threads = threads;
  }
  const std::vector<Series> all = series_of(record);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].axis, "threads");
  EXPECT_EQ(complexity_of(all[0], Metric::instructions)->best, Order::constant);
}

TEST(Axes, AFailedCaseIsInItsSeriesAndNotInTheFit) {
  Record record = growing_record();
  record.cases[1].status = CaseStatus::crashed;
  const std::vector<Series> all = series_of(record);
  EXPECT_EQ(all[1].points.size(), 3U);
  EXPECT_FALSE(complexity_of(all[1], Metric::instructions));
}

TEST(Pivot, ByItselfPutsTheMostCasesSideBySide) {
  const Record record = growing_record();
  const Result<Pivot> made = pivot(record, {});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->column_axes, ElementsAre("n"));
  EXPECT_THAT(made->row_axes, ElementsAre("label", "language"));
  ASSERT_EQ(made->sections.size(), 1U);
  EXPECT_THAT(made->sections[0].common, IsEmpty());
  ASSERT_EQ(made->sections[0].rows.size(), 3U);
  const PivotRow& row = made->sections[0].rows[0];
  EXPECT_THAT(row.heading, ElementsAre("sum", "python"));
  EXPECT_EQ(row.cells[0].value->value, 140);
  EXPECT_EQ(row.cells[2].value->value, 1100);
  EXPECT_EQ(row.complexity->best, Order::linear);
  // A case without the column's parameter is not lost.
  ASSERT_EQ(made->left_out.size(), 1U);
  EXPECT_EQ(made->left_out[0]->id, "alone [cpp n=]");
}

TEST(Pivot, WhatIsNeitherRowNorColumnMakesSections) {
  const Record record = growing_record();
  const Result<Pivot> made = pivot(record, {.rows = {"n"}, .columns = {"language"}});
  ASSERT_TRUE(made);
  ASSERT_EQ(made->sections.size(), 3U);
  EXPECT_THAT(made->sections[0].common, ElementsAre(std::pair<std::string, std::string>("label", "sum")));
  EXPECT_EQ(made->growth_axis, "n");
  EXPECT_FALSE(made->grows_along_rows);
  ASSERT_EQ(made->sections[0].complexity.size(), 2U);
  EXPECT_EQ(made->sections[0].complexity[1]->best, Order::linear);
  EXPECT_THAT(made->sections[2].rows.front().heading, ElementsAre(""));
  EXPECT_THAT(made->left_out, IsEmpty());
}

TEST(Pivot, EveryCaseIsInOneCellWhateverTheAxes) {
  const Record record = growing_record();
  for (const PivotRequest& request : {PivotRequest{},
                                      {.rows = {"label"}, .columns = {"language"}},
                                      {.rows = {"language"}, .columns = {"label"}},
                                      {.rows = {"threads"}, .columns = {"n", "language"}},
                                      {.rows = {"n", "label"}}}) {
    const Result<Pivot> made = pivot(record, request);
    ASSERT_TRUE(made);
    std::multiset<const CaseRecord*> seen(made->left_out.begin(), made->left_out.end());
    for (const PivotSection& section : made->sections) {
      for (const PivotRow& row : section.rows) {
        EXPECT_EQ(row.cells.size(), made->columns.size());
        for (const PivotCell& cell : row.cells) {
          if (cell.of) seen.insert(cell.of);
        }
      }
    }
    for (const CaseRecord& one : record.cases) EXPECT_EQ(seen.count(&one), 1U) << one.id;
  }
}

TEST(Pivot, CasesThatReadTheSameHaveARowEach) {
  Record record = growing_record();
  record.cases.push_back(record.cases.front());
  record.cases.back().id = "another";
  const Result<Pivot> made = pivot(record, {});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->sections[0].rows.size(), 4U);
}

TEST(Pivot, MarksTheBestAndTheWorstUnlessTheirRangesOverlap) {
  Record record = growing_record();
  const auto standings = [&](Metric metric) {
    std::vector<Standing> all;
    for (const PivotCell& cell :
         pivot(record, {.rows = {"label", "n"}, .columns = {"language"}, .metric = metric})->sections[0].rows[0].cells)
      all.push_back(cell.standing);
    return all;
  };
  EXPECT_THAT(standings(Metric::instructions), ElementsAre(Standing::worst, Standing::best));
  // All cases of the example take the same time.
  EXPECT_THAT(standings(Metric::time), ElementsAre(Standing::none, Standing::none));
  // A measured noise floor that reaches the other's count.
  record.cases[3].counts->floor = NoiseFloor{.low = 14, .high = 140, .samples = {}};
  EXPECT_THAT(standings(Metric::instructions), ElementsAre(Standing::none, Standing::none));
}

TEST(Pivot, AnUnknownAxisIsAnErrorThatListsTheAxes) {
  const Result<Pivot> made = pivot(growing_record(), {.columns = {"m"}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::input);
  EXPECT_EQ(made.error().message, "no case has an axis 'm'");
  EXPECT_EQ(
      made.error().hint,
      "did you mean 'n'? there are label, language (python, cpp), runtime (eager), autograd (forward), threads (1), "
      "n (4, 20, 100)");
  EXPECT_THAT(pivot(growing_record(), {.rows = {"n"}, .columns = {"n"}}).error().message, HasSubstr("twice"));
}

TEST(Pivot, CasesThatHaveNothingBesideThemAreAnError) {
  Record record = growing_record();
  record.cases = {record.cases.back()};
  const Result<Pivot> made = pivot(record, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::input);
  EXPECT_THAT(made.error().hint, HasSubstr("the axes are label, language (cpp)"));
  EXPECT_TRUE(pivot(record, {.rows = {"label"}, .columns = {"language"}}));
}

/// 75,000 cases took more than 300 s when each looked through the rows that were there.
TEST(Pivot, TensOfThousandsOfCasesTakeNoMinutes) {
  Record record = example_record();
  record.cases.clear();
  constexpr std::size_t kLabels = 15'000;
  for (std::size_t i = 0; i < kLabels; ++i) {
    for (const std::string n : {"4", "16"}) record.cases.push_back(case_of("c" + std::to_string(i), "cpp", n, 100));
  }
  const auto table = pivot(record, {.rows = {"label"}, .columns = {"n"}});
  ASSERT_TRUE(table) << describe(table.error());
  ASSERT_EQ(table->sections.size(), 1U);
  ASSERT_EQ(table->sections[0].rows.size(), kLabels);
  EXPECT_THAT(table->sections[0].rows.back().heading, ElementsAre("c14999"));
  EXPECT_EQ(table->sections[0].rows.back().cells[1].of, &record.cases.back());
}

/// A label may read like another: "a / b" of two parts, and of one.
TEST(Pivot, CasesWhoseLabelsReadTheSameHaveRowsOfTheirOwn) {
  Record record = example_record();
  record.cases = {case_of("x", "cpp", "4", 1), case_of("x", "cpp", "16", 2), case_of("x", "cpp", "4", 3),
                  case_of("y", "cpp", "4", 4)};
  const auto table = pivot(record, {.rows = {"label"}, .columns = {"n"}});
  ASSERT_TRUE(table) << describe(table.error());
  const std::vector<PivotRow>& rows = table->sections.at(0).rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].cells[0].value->value, 1);
  EXPECT_EQ(rows[0].cells[1].value->value, 2);
  EXPECT_EQ(rows[1].cells[0].value->value, 3);
  EXPECT_EQ(rows[1].cells[1].of, nullptr);
  EXPECT_EQ(rows[2].cells[0].value->value, 4);
}

TEST(Pivot, ACountBelowZeroIsNoFigure) {
  Record record = example_record();
  record.cases = {case_of("x", "cpp", "4", -8), case_of("x", "cpp", "16", 2)};
  const auto table = pivot(record, {.rows = {"label"}, .columns = {"n"}});
  ASSERT_TRUE(table) << describe(table.error());
  EXPECT_FALSE(table->sections.at(0).rows.at(0).cells[0].value);
}

}  // namespace
}  // namespace tally
