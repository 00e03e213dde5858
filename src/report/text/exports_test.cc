#include "report/text/exports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/golden.h"
#include "profile/callgrind.h"
#include "report/text/comparison_table.h"
#include "report/text/escape.h"
#include "report/text/example_comparison.h"
#include "report/text/function_table.h"

namespace tally {
namespace {

CheckResult checked(const Comparison& comparison) {
  const std::vector<Acceptance> accepted = {
      {.cases = "<b>*", .up_to = 0.5, .reason = "agreed | *upon*", .expires = "2026-12-31", .where = "accept.toml:1"}};
  return check(comparison, {*parse_limit("instructions=+1%")}, accepted, "2026-01-31");
}

TEST(Comparison, TheLinesOfAFailureStayLines) {
  ExampleComparison example;
  example.next.cases.back().failure->message = "setup failed:\n  line 1\nError: no\x1bthing\n";
  const Comparison comparison = example.compared();
  EXPECT_THAT(render_comparison(comparison, {}),
              testing::HasSubstr("\n  setup failed:\n    line 1\n  Error: no\xef\xbf\xbdthing\n"));
  EXPECT_THAT(render_check(comparison, checked(comparison), {}),
              testing::HasSubstr(": setup failed:\n    line 1\n  Error: no\xef\xbf\xbdthing\n"));
}

TEST(Comparison, NamesItsCommitsWhereThereAreTwo) {
  ExampleComparison example;
  Source source;
  source.commit = "21ebff2190aaaa";
  example.base.source = example.next.source = source;
  EXPECT_EQ(commits_note(example.compared()), "base and new: 21ebff2190");
  example.next.source->commit = "b74d5aef01bbbb";
  example.next.source->dirty = true;
  const std::string note = "base: 21ebff2190, new: b74d5aef01 and changes that are not committed";
  EXPECT_EQ(commits_note(example.compared()), note);
  EXPECT_THAT(render_comparison(example.compared(), {}), testing::HasSubstr("\n" + note + "\n"));
  EXPECT_THAT(to_markdown(example.compared(), nullptr, 0), testing::HasSubstr(note));
  example.base.source.reset();
  EXPECT_THAT(commits_note(example.compared()), testing::StartsWith("base: no known commit, "));
  example.next.source.reset();
  EXPECT_EQ(commits_note(example.compared()), "");
}

TEST(Comparison, SaysWhatBothSidesWereMeasuredWith) {
  ExampleComparison example;
  example.next.environments["torch"].facts["compiler"] = "clang 20.1.0";
  const std::string note = "with: clang 19.1.4 → clang 20.1.0, Valgrind 3.19.0";
  EXPECT_EQ(versions_note(example.compared()), note);
  EXPECT_THAT(render_comparison(example.compared(), {}), testing::HasSubstr("\n" + note + "\n"));
  EXPECT_THAT(to_markdown(example.compared(), nullptr, 0), testing::HasSubstr("clang 19.1.4 → clang 20.1.0"));
}

TEST(Comparison, SaysWhyAChangeOfHalfIsTheSame) {
  ExampleComparison example;
  example.base.cases = {labelled_case({"Tiny", "statement"}, 6)};
  example.next.cases = {labelled_case({"Tiny", "statement"}, 9)};
  const std::string text = render_comparison(example.compared(), {.all = true});
  EXPECT_THAT(text, testing::HasSubstr("+50 %"));
  EXPECT_THAT(text, testing::HasSubstr("within ± 5\n"));
  EXPECT_THAT(text, testing::HasSubstr("the limit is the floor of 5 instructions\n"));
  example.next.cases = {labelled_case({"Tiny", "statement"}, 6)};
  EXPECT_THAT(render_comparison(example.compared(), {.all = true}), testing::Not(testing::HasSubstr("within")));
}

TEST(Golden, Comparison) {
  const ExampleComparison example;
  const Comparison comparison = example.compared();
  expect_golden("report/compare_80.txt", render_comparison(comparison, {.options = {.width = 80}}));
  expect_golden("report/compare_functions.txt",
                render_comparison(comparison, {.options = {.width = 100}, .all = true, .functions = 5}));
  expect_golden("report/check.txt", render_check(comparison, checked(comparison), {}));
}

TEST(Golden, Exports) {
  const ExampleComparison example;
  const Comparison comparison = example.compared();
  const CheckResult result = checked(comparison);
  expect_golden("report/check.md", to_markdown(comparison, &result, 5));
  expect_golden("report/check.junit.xml", to_junit(comparison, result));
  expect_golden("report/compare.csv", to_csv(comparison));
  expect_golden("report/record.csv", to_csv(example.next));
  expect_golden("report/check.github.txt", github_annotations(comparison, result));
}

TEST(Exports, ACountWithoutNoiseIsNotCalledTheWholeOne) {
  ExampleComparison example;
  for (Record* record : {&example.base, &example.next})
    for (CaseRecord& one : record->cases)
      if (one.id == "Pointwise/add [cpp]") one.counts->denoised = one.counts->per_iteration - 100;
  const Comparison comparison = compare(example.base, example.next, {.denoise = true});
  EXPECT_THAT(to_csv(comparison), testing::ContainsRegex("Pointwise/add .cpp.,slower,.*,900,1020,.*,yes,,,,\n"));
  EXPECT_THAT(to_csv(comparison), testing::ContainsRegex("Pointwise/mul .cpp.,same,.*,1000,1000,.*,no,,,,\n"));
  EXPECT_THAT(to_csv(example.next), testing::ContainsRegex("Pointwise/add .cpp.,ok,1120,.*,1020,,\n"));
  EXPECT_THAT(to_markdown(comparison, nullptr, 0),
              testing::HasSubstr("\n1 count is without known interpreter noise, "));
}

TEST(Exports, WhatABenchmarkReportsIsAValueWithItsUnit) {
  Record base = example_record();
  base.cases = {example_case("track_depth")};
  base.cases[0].counts.reset();
  base.cases[0].wall.reset();
  base.cases[0].reported = Reported{.value = 40, .unit = "levels, all"};
  Record next = base;
  next.cases[0].reported->value = 50;
  EXPECT_THAT(to_csv(next), testing::HasSubstr("track_depth,ok,,,,,,,,50,\"levels, all\"\n"));
  const Comparison comparison = compare(base, next, {});
  EXPECT_THAT(to_csv(comparison), testing::HasSubstr(",,,,,,,,,40,50,0.25,\"levels, all\"\n"));
  EXPECT_THAT(to_markdown(comparison, nullptr, 0), testing::HasSubstr("40 levels, all | 50 levels, all | +25 %"));
}

TEST(Golden, Functions) {
  const auto profile = parse_callgrind(
      "events: Ir\nob=/lib/libfoo.so.1\nfl=x.cc\nfn=_ZN3foo3addERKi\n1 600\nfi=vector.h\n2 "
      "150\nob=/lib/libbar.so\nfl=y.c\nfn=bar\n1 250\ntotals: 1000\n");
  ASSERT_TRUE(profile);
  const FunctionCounts counts = function_counts(*profile, 0, Inclusion::exclusive);
  std::string text;
  for (const Grouping by : {Grouping::function, Grouping::file, Grouping::object}) {
    text += render_functions(counts.grouped(by), {.options = {.width = 80}, .total = 1000}) + "\n";
  }
  text += render_functions(counts, {.options = {.width = 60}, .top = 1, .total = 1000, .full_names = true});
  expect_golden("report/functions.txt", text);
}

TEST(Escape, NothingGetsThrough) {
  EXPECT_EQ(html_escape("<a href='x'>\"&"), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;");
  EXPECT_EQ(markdown_escape("a|b @me <i> [x](y)"), "a\\|b &#64;me &lt;i&gt; \\[x\\](y)");
  EXPECT_EQ(csv_field("=1+1"), "'=1+1");
  for (const char* number : {"-1", "+2", "-0.5", "-.5e-3"}) EXPECT_EQ(csv_field(number), number);
  for (const char* formula : {"-1+2", "+A1", "-", "-inf", "--1", "@1"})
    EXPECT_EQ(csv_field(formula), std::string("'") + formula);
  EXPECT_EQ(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(github_escape("50%\nnext"), "50%25%0Anext");
  EXPECT_EQ(script_json("\"</script><!--\""), "\"\\u003c/script>\\u003c!--\"");
}

}  // namespace
}  // namespace tally
