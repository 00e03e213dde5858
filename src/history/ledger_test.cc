#include "history/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

constexpr const char* kToday = "2026-06-01";

Acceptance acceptance(const std::string& commit, const std::string& expires = "2026-06-01") {
  return {.cases = "a [cpp]",
          .up_to = 0.03,
          .reason = "r",
          .expires = expires,
          .commit = commit,
          .owner = {},
          .issue = {},
          .where = {}};
}

CommitLine line() {
  return {.commits = {{"aaaaaaa0", {}, {}}, {"bbbbbbb0", {}, {}}, {"ccccccc0", {}, {}}, {"ddddddd0", {}, {}}},
          .measured = {0, 2, 2, 3}};
}

TEST(Ledger, AnAgreementIsInForceFromTheFirstRunOfItsCommitOrALaterOne) {
  const auto run_of = [](const Acceptance& one) {
    const auto agreed = agreed_along(line(), {one}, kToday);
    return agreed.empty() ? std::string("none") : std::to_string(agreed.front().run);
  };
  EXPECT_EQ(run_of(acceptance("aaaaaaa")), "0");
  EXPECT_EQ(run_of(acceptance("bbbbbbb")), "1");
  EXPECT_EQ(run_of(acceptance("ccccccc0")), "1");
  EXPECT_EQ(run_of(acceptance("ddddddd")), "3");
  EXPECT_EQ(run_of(acceptance("eeeeeee")), "none");
  EXPECT_EQ(run_of(acceptance("")), "none");
  EXPECT_EQ(run_of(acceptance("aaaaaaa", "2026-05-31")), "none");
}

TEST(Ledger, WhatExpiredIsKnownAsWhatOnceAgreed) {
  const CountStep step{.of = 0, .since = 0, .counts = {.before = 100, .after = 103, .change = 0.03}};
  const CommitLine commits = line();
  const auto candidates = commits.candidates(0, 1);
  const auto is_accepted = [&](const Acceptance& one) {
    return acceptance_of("a [cpp]", step, candidates, {one}, kToday) != nullptr;
  };
  const auto is_expired = [&](const Acceptance& one) {
    return expired_acceptance_of("a [cpp]", step, candidates, {one}, kToday) != nullptr;
  };
  EXPECT_TRUE(is_accepted(acceptance("bbbbbbb")));
  EXPECT_FALSE(is_expired(acceptance("bbbbbbb")));
  EXPECT_FALSE(is_accepted(acceptance("bbbbbbb", "2026-05-31")));
  EXPECT_TRUE(is_expired(acceptance("bbbbbbb", "2026-05-31")));
  EXPECT_FALSE(is_expired(acceptance("ddddddd", "2026-05-31")));
}

TEST(Ledger, AnAgreementIsAboutItsMetric) {
  const CountStep step{
      .of = 0, .since = 0, .counts = {.before = 100, .after = 103, .change = 0.03, .metric = Metric::value}};
  const CommitLine commits = line();
  const auto candidates = commits.candidates(0, 1);
  Acceptance one = acceptance("bbbbbbb");
  EXPECT_EQ(acceptance_of("a [cpp]", step, candidates, {one}, kToday), nullptr);
  one.metric = Metric::value;
  EXPECT_NE(acceptance_of("a [cpp]", step, candidates, {one}, kToday), nullptr);
}

TEST(Ledger, TheLastBudgetThatIsAboutACaseCounts) {
  const std::vector<DriftBudget> budgets = {{.budget = 0.05}, {.cases = "a *", .budget = 0.01}};
  EXPECT_DOUBLE_EQ(budget_of("a [cpp]", budgets), 0.01);
  EXPECT_DOUBLE_EQ(budget_of("b [cpp]", budgets), 0.05);
  EXPECT_DOUBLE_EQ(budget_of("b [cpp]", {}), kUsualDrift);
}

}  // namespace
}  // namespace tally
