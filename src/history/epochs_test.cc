#include "history/epochs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Numbered as they come.
std::vector<PlacedRun> runs(const std::vector<std::pair<std::string_view, std::size_t>>& measured) {
  std::vector<PlacedRun> runs;
  runs.reserve(measured.size());
  for (const auto& [environment, place] : measured)
    runs.push_back({.run = runs.size(), .place = place, .environment = environment, .started = "2026"});
  return runs;
}

std::vector<std::size_t> numbers(const ChosenRuns& chosen) {
  std::vector<std::size_t> numbers;
  numbers.reserve(chosen.runs.size());
  for (const PlacedRun& run : chosen.runs) numbers.push_back(run.run);
  return numbers;
}

TEST(ChooseRuns, OfOneEnvironmentTakesAllInTheOrderOfTheLine) {
  const auto chosen = choose_runs(runs({{"a", 4}, {"a", 1}, {"a", 2}}), "");
  ASSERT_TRUE(chosen);
  EXPECT_THAT(numbers(*chosen), ElementsAre(1, 2, 0));
  EXPECT_THAT(chosen->other_epochs, IsEmpty());
}

TEST(ChooseRuns, AnOlderEpochGoesUpToTheFirstCommitOfTheNext) {
  // The second environment measured the first one's last commit but one again.
  const auto chosen = choose_runs(runs({{"old", 0}, {"old", 1}, {"old", 2}, {"new", 1}, {"new", 3}}), "");
  ASSERT_TRUE(chosen);
  EXPECT_THAT(numbers(*chosen), ElementsAre(0, 1, 3, 4));
  const auto older = choose_runs(runs({{"old", 0}, {"old", 1}, {"old", 2}, {"new", 1}, {"new", 3}}), "ol");
  EXPECT_THAT(numbers(*older), ElementsAre(0, 1, 2));
  EXPECT_THAT(older->other_epochs, ElementsAre("new"));
}

TEST(ChooseRuns, ThreeEpochsFollowEachOther) {
  const auto chosen = choose_runs(runs({{"c", 9}, {"a", 0}, {"b", 5}, {"a", 4}, {"b", 8}}), "");
  EXPECT_THAT(numbers(*chosen), ElementsAre(1, 3, 2, 4, 0));
}

TEST(ChooseRuns, WhatBeganWithTheNamedOneIsAnother) {
  // Two machines measure every commit: one of them is shown.
  const auto chosen = choose_runs(runs({{"a", 1}, {"b", 2}, {"a", 2}, {"b", 3}, {"a", 3}}), "");
  EXPECT_THAT(numbers(*chosen), ElementsAre(0, 2, 4));
  EXPECT_THAT(chosen->other_epochs, ElementsAre("b"));
}

TEST(ChooseRuns, OfSeveralOfACommitTheLatestComesFirst) {
  std::vector<PlacedRun> measured = runs({{"a", 1}, {"a", 1}, {"a", 1}});
  measured[1].started = "2027";
  const auto chosen = choose_runs(measured, "");
  EXPECT_THAT(numbers(*chosen), ElementsAre(1, 0, 2));
  EXPECT_EQ(chosen->earlier_of_same_commit, 2);
}

TEST(ChooseRuns, AnUnknownEnvironmentIsAnErrorThatNamesThoseThereAre) {
  const auto chosen = choose_runs(runs({{"a1", 1}, {"b2", 1}}), "c");
  ASSERT_FALSE(chosen);
  EXPECT_THAT(chosen.error().hint, HasSubstr("a1, b2"));
}

}  // namespace
}  // namespace tally
