#include "history/bisection.h"

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <string>

namespace tally {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Counts of every case at every commit, measured as the search asks for them.
class Synthetic {
 public:
  Synthetic(std::size_t last, std::size_t cases)
      : counts_(cases, std::vector<double>(last + 1, 1'000'000)),
        bisection_(last, cases, [this](std::size_t which, std::size_t before, std::size_t after) {
          const double from = counts_[which][before];
          const double by = counts_[which][after] - from;
          return CountDistance{by / from, by / (from * 0.001)};
        }) {}

  /// From this commit on.
  void change(std::size_t which, std::size_t commit, double factor) {
    for (std::size_t i = commit; i < counts_[which].size(); ++i) counts_[which][i] *= factor;
  }
  void break_build(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i <= to; ++i) broken_.insert(i);
  }
  void take_count(std::size_t which, std::size_t commit) { countless_.emplace(which, commit); }

  std::vector<BisectionFinding> search() {
    while (const auto next = bisection_.next()) {
      const Bisection::Left left = bisection_.left();
      EXPECT_GE(left.at_most, 1);
      if (bound_ > 0) EXPECT_LT(left.at_most, bound_);
      bound_ = left.at_most;
      EXPECT_TRUE(builds_.insert(next->commit).second || !broken_.contains(next->commit)) << "built again";
      if (broken_.contains(next->commit)) {
        bisection_.set_unbuildable(next->commit);
        continue;
      }
      EXPECT_THAT(next->cases, testing::Not(IsEmpty()));
      for (const std::size_t which : next->cases) {
        ++measurements_;
        if (countless_.contains({which, next->commit})) {
          bisection_.set_no_count(which, next->commit);
        } else {
          bisection_.set_count(which, next->commit);
        }
      }
    }
    EXPECT_EQ(bisection_.left().at_most, 0);
    return bisection_.findings();
  }
  [[nodiscard]] std::size_t builds() const { return builds_.size(); }
  [[nodiscard]] std::size_t measurements() const { return measurements_; }
  Bisection& bisection() { return bisection_; }

 private:
  std::vector<std::vector<double>> counts_;
  std::set<std::size_t> broken_;
  std::set<std::pair<std::size_t, std::size_t>> countless_;
  std::set<std::size_t> builds_;
  std::size_t measurements_ = 0;
  std::size_t bound_ = 0;
  Bisection bisection_;
};

/// "case: since-at".
std::vector<std::string> texts(const std::vector<BisectionFinding>& findings) {
  std::vector<std::string> all;
  all.reserve(findings.size());
  for (const BisectionFinding& one : findings) {
    all.push_back(std::to_string(one.which) + ": " + std::to_string(one.since) + "-" + std::to_string(one.at) +
                  (one.is_drift ? " drift" : ""));
  }
  return all;
}

TEST(Bisection, OneChangeIn1024CommitsTakes12BuildsAtTheMost) {
  for (std::size_t at = 1; at <= 1024; ++at) {
    Synthetic line(1024, 3);
    line.change(1, at, 1.02);
    ASSERT_THAT(texts(line.search()), ElementsAre("1: " + std::to_string(at - 1) + "-" + std::to_string(at)));
    ASSERT_LE(line.builds(), 12) << at;
    ASSERT_LE(line.measurements(), 6 + 10) << "cases that are the same at both ends are not measured again";
  }
}

TEST(Bisection, EveryChangeOfEveryCaseIsFoundWhateverTheyAre) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    const std::size_t last = 1 + below(120);
    Synthetic line(last, 4);
    std::map<std::pair<std::size_t, std::size_t>, double> planted;
    for (std::size_t which = 0; which < 4; ++which) {
      // All in one direction, so that none hides another.
      const double factor = below(2) == 0 ? 1.01 : 0.98;
      for (std::size_t i = below(4); i > 0; --i) planted[{1 + below(last), which}] = factor;
    }
    std::vector<std::string> wanted;
    for (const auto& [place, factor] : planted) {
      const auto& [at, which] = place;
      line.change(which, at, factor);
      wanted.push_back(std::to_string(which) + ": " + std::to_string(at - 1) + "-" + std::to_string(at));
    }
    ASSERT_EQ(texts(line.search()), wanted) << seed;
    ASSERT_LE(line.builds(), 2 + planted.size() * 7) << seed;
  }
}

TEST(Bisection, OneBuildServesAllCasesThatWantToKnow) {
  Synthetic line(64, 10);
  for (std::size_t which = 0; which < 10; ++which) line.change(which, 20, 1 + 0.01 * static_cast<double>(which + 1));
  EXPECT_EQ(line.search().size(), 10);
  EXPECT_EQ(line.builds(), 2 + 6);
}

TEST(Bisection, TheLargestChangeIsSplitFirst) {
  Synthetic line(64, 2);
  line.change(0, 10, 1.01);
  line.change(1, 50, 1.5);
  Bisection& bisection = line.bisection();
  for (const std::size_t commit : {std::size_t{0}, std::size_t{64}, std::size_t{32}}) {
    const auto next = bisection.next();
    ASSERT_EQ(next->commit, commit);
    for (const std::size_t which : next->cases) bisection.set_count(which, commit);
  }
  EXPECT_EQ(bisection.next()->commit, 48);
  EXPECT_THAT(bisection.next()->cases, ElementsAre(1));
}

TEST(Bisection, WhatCannotBeBuiltIsPassedOverOrNamedAsARange) {
  Synthetic beside(64, 1);
  beside.break_build(28, 36);
  beside.change(0, 50, 1.1);
  EXPECT_THAT(texts(beside.search()), ElementsAre("0: 49-50"));
  EXPECT_LE(beside.builds(), 10);

  Synthetic within(64, 1);
  within.break_build(31, 33);
  within.change(0, 32, 1.1);
  EXPECT_THAT(texts(within.search()), ElementsAre("0: 30-34"));
  EXPECT_EQ(within.bisection().unmeasurable_between(0, 30, 34), 3);

  Synthetic wide(1000, 1);
  wide.break_build(300, 700);
  wide.change(0, 500, 1.1);
  const auto findings = wide.search();
  ASSERT_EQ(findings.size(), 1);
  EXPECT_LE(findings[0].since, 299);
  EXPECT_GE(findings[0].at, 701);
  EXPECT_LE(wide.builds(), 30) << "it gives up between two counts after eight failures";

  Synthetic end(8, 1);
  end.break_build(8, 8);
  EXPECT_THAT(end.search(), IsEmpty());
  EXPECT_EQ(end.builds(), 2);
  EXPECT_FALSE(end.bisection().is_comparable(0));
}

TEST(Bisection, ACaseWithoutACountStopsNoOther) {
  Synthetic line(16, 2);
  line.change(0, 9, 1.1);
  line.change(1, 9, 1.1);
  line.take_count(1, 8);
  EXPECT_THAT(texts(line.search()), ElementsAre("1: 7-9", "0: 8-9"));
}

TEST(Bisection, UpsAndDownsThatCancelAreNotSeenUnlessACommitBetweenIsKnown) {
  Synthetic line(32, 1);
  line.change(0, 10, 2);
  line.change(0, 20, 0.5);
  EXPECT_THAT(line.search(), IsEmpty());
  EXPECT_EQ(line.builds(), 2);
  line.bisection().set_count(0, 15);
  EXPECT_THAT(texts(line.search()), ElementsAre("0: 9-10", "0: 19-20"));
}

TEST(Bisection, StepsBelowTheThresholdThatAddUpAreADrift) {
  Synthetic line(32, 1);
  for (const std::size_t at : {5U, 12U, 20U, 28U}) line.change(0, at, 1.0009);
  const auto findings = line.search();
  ASSERT_THAT(texts(findings), ElementsAre("0: 0-32 drift"));
  EXPECT_THAT(findings[0].contributors,
              ElementsAre(std::pair(4, 5), std::pair(11, 12), std::pair(19, 20), std::pair(27, 28)));

  // A real one among them is distinguished.
  Synthetic mixed(32, 1);
  mixed.change(0, 5, 0.9996);
  mixed.change(0, 12, 1.0012);
  mixed.change(0, 20, 1.0004);
  EXPECT_THAT(texts(mixed.search()), ElementsAre("0: 11-12"));
}

TEST(Bisection, NeighboursNeedNothingButThemselves) {
  Synthetic line(1, 1);
  line.change(0, 1, 1.1);
  EXPECT_THAT(texts(line.search()), ElementsAre("0: 0-1"));
  EXPECT_EQ(line.builds(), 2);
}

}  // namespace
}  // namespace tally
