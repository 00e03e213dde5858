#include "cli/same_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace tally::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SideResult left(std::string text, std::string refusal = {}) {
  return {StatementResult{std::move(text), std::move(refusal), false}, {}};
}

TEST(SameResult, EqualTextsAreTheSameOnlyWhenNothingWasRefused) {
  EXPECT_EQ(judge_results("a", left("y = 1\n"), left("y = 1\n")).sameness, Sameness::same);
  const ResultVerdict refused = judge_results("a", left("p = ?\n"), left("p = ?\n", "a pointer"));
  EXPECT_EQ(refused.sameness, Sameness::unknown);
  EXPECT_EQ(refused.why, "a pointer");
}

TEST(SameResult, ADifferenceIsShownWhereItIs) {
  const ResultVerdict verdict = judge_results("a", left("x = 1\ny = 2\n"), left("x = 1\ny = 3\n"));
  EXPECT_EQ(verdict.sameness, Sameness::differs);
  EXPECT_EQ(verdict.a, "y = 2");
  EXPECT_EQ(verdict.b, "y = 3");
  // Refused parts hide no difference of others.
  EXPECT_EQ(judge_results("a", left("x = 1\n", "?"), left("x = 2\n", "?")).sameness, Sameness::differs);
  EXPECT_EQ(judge_results("a", left("x = 1\n"), left("x = 1\ny = 2\n")).a, "(nothing)");
  const std::string long_text(1000, 'x');
  const ResultVerdict cut = judge_results("a", left(long_text + "é1" + long_text), left(long_text + "é2" + long_text));
  EXPECT_LT(cut.a.size(), 200U);
  EXPECT_THAT(cut.a, HasSubstr("é1"));
  EXPECT_THAT(cut.b, HasSubstr("é2"));
}

TEST(SameResult, WhatFailedOrVariesIsUnknown) {
  EXPECT_EQ(judge_results("a", left("x"), {std::nullopt, "does not compile\nmore"}).why, "B: does not compile");
  EXPECT_EQ(judge_results("a", {std::nullopt, ""}, left("x")).why, "A: not executed");
  SideResult varying = left("t = 1\n", "differs");
  varying.result->varies = true;
  EXPECT_EQ(judge_results("a", left("t = 2\n"), varying).sameness, Sameness::unknown);
}

TEST(SameResult, CasesAndPeopleAreTold) {
  const std::vector<ResultVerdict> verdicts = {judge_results("a", left("1"), left("1")),
                                               judge_results("b", left("1"), left("2")),
                                               judge_results("c", left("?", "a pointer"), left("?", "a pointer"))};
  Comparison comparison;
  for (const char* id : {"a", "b", "c", "d"}) comparison.cases.emplace_back().id = id;
  note_results(verdicts, comparison);
  EXPECT_EQ(comparison.cases[0].result, "same");
  EXPECT_THAT(comparison.cases[1].notes, ElementsAre("THE RESULTS DIFFER: A left 1; B left 2"));
  EXPECT_THAT(comparison.cases[2].notes, ElementsAre("the results cannot be compared: a pointer"));
  EXPECT_EQ(comparison.cases[3].result, "");
  std::ostringstream out;
  print_results(verdicts, out);
  EXPECT_THAT(out.str(), HasSubstr("THE RESULTS DIFFER: b\n  A left 1\n  B left 2\n"));
  EXPECT_THAT(out.str(), HasSubstr("results: 1 the same, 1 different, 1 that cannot be compared\n"));
}

}  // namespace
}  // namespace tally::cli
