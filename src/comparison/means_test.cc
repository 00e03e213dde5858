#include "comparison/means.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/example_counts.h"
#include "record/example_record.h"

namespace tally {
namespace {

using testing::DoubleNear;

/// A case of a language, whose counts are the first's times so much.
struct Pair {
  const char* id;
  const char* language;
  double ratio;
};

struct Compared {
  explicit Compared(std::initializer_list<Pair> pairs) {
    base.cases.clear();
    for (const Pair& pair : pairs) {
      CaseRecord one = example_case(pair.id);
      one.language = pair.language;
      base.cases.push_back(one);
      scale_count(*one.counts, pair.ratio);
      next.cases.push_back(std::move(one));
    }
    comparison = compare(base, next, {});
  }
  Record base = example_record();
  Record next = [] {
    Record record = example_record();
    record.cases.clear();
    return record;
  }();
  Comparison comparison;
};

TEST(Means, AreGeometricByLanguage) {
  const Compared compared({{"a", "python", 2}, {"b", "python", 0.5}, {"c", "cpp", 1.21}, {"d", "cpp", 1}});
  const Means means = means_of(compared.comparison);
  ASSERT_EQ(means.languages.size(), 2U);
  EXPECT_EQ(means.languages[0].language, "python");
  EXPECT_THAT(means.languages[0].change, DoubleNear(0, 1e-3));
  EXPECT_EQ(means.languages[1].cases, 2U);
  EXPECT_THAT(means.languages[1].change, DoubleNear(0.1, 1e-3)) << "what has not moved is among them";
  EXPECT_EQ(means.moved, 3U);
  ASSERT_NE(means.worst, nullptr);
  EXPECT_EQ(means.worst->id, "a");
  EXPECT_THAT(means.worst_change, DoubleNear(1, 1e-3));
  EXPECT_FALSE(means.of_times);
}

TEST(Means, WhatComesFromNothingIsWorstAndInNoMean) {
  Compared compared({{"a", "python", 1}, {"b", "python", 2}, {"c", "python", 0.5}});
  scale_count(*compared.base.cases[0].counts, 0);
  compared.comparison = compare(compared.base, compared.next, {});
  const Means means = means_of(compared.comparison);
  ASSERT_EQ(means.languages.size(), 1U);
  EXPECT_EQ(means.languages[0].cases, 2U);
  EXPECT_THAT(means.languages[0].change, DoubleNear(0, 1e-3));
  EXPECT_EQ(means.moved, 3U);
  ASSERT_NE(means.worst, nullptr);
  EXPECT_EQ(means.worst->id, "a");
  EXPECT_TRUE(std::isinf(means.worst_change));
}

TEST(Means, HaveNoWorstWhereNothingBecameWorse) {
  const Means means = means_of(Compared({{"a", "python", 0.5}, {"b", "python", 1}}).comparison);
  EXPECT_EQ(means.worst, nullptr);
  EXPECT_EQ(means.moved, 1U);
}

TEST(Means, AreOfTimesWhereNothingWasCounted) {
  Record base = example_record();
  base.cases = {example_case("a")};
  base.cases[0].counts.reset();
  Record next = base;
  next.cases[0].wall->median_s *= 2;
  for (double& sample : next.cases[0].wall->replicates_s) sample *= 2;
  const Comparison comparison = compare(base, next, {});
  const Means means = means_of(comparison);
  EXPECT_TRUE(means.of_times);
  ASSERT_EQ(means.languages.size(), 1U);
  EXPECT_THAT(means.languages[0].change, DoubleNear(1, 1e-6));
}

}  // namespace
}  // namespace tally
