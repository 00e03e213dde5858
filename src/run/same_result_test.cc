#include "run/same_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

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

}  // namespace
}  // namespace tally
