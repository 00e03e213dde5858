#include "comparison/complexity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

namespace tally {
namespace {

std::vector<GrowthPoint> series(const std::vector<double>& numbers, const std::function<double(double)>& value) {
  std::vector<GrowthPoint> points;
  points.reserve(numbers.size());
  for (const double n : numbers) points.push_back({n, value(n)});
  return points;
}

std::vector<GrowthPoint> counts_at(const std::vector<double>& numbers, const std::vector<double>& counts) {
  std::vector<GrowthPoint> points;
  points.reserve(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) points.push_back({numbers[i], counts[i]});
  return points;
}

const std::vector<double> kNumbers = {4, 16, 64, 256, 1024};

Order best_of_one_term(const Complexity& complexity) {
  return std::ranges::min_element(complexity.fits, {}, &GrowthFit::rms)->order;
}

TEST(Complexity, FindsWhatASeriesWasMadeOf) {
  for (const Order order : kAllOrders) {
    for (const double constant : {0.0, 7.0, 1000.0}) {
      const auto complexity =
          complexity_of(series(kNumbers, [&](double n) { return constant + 3 * growth(order, n); }));
      ASSERT_TRUE(complexity);
      EXPECT_EQ(complexity->best, order) << constant;
      EXPECT_EQ(complexity->fit().residual, 0) << to_string(order) << constant;
      EXPECT_EQ(complexity->points, 5U);
      const bool flat = order == Order::constant;
      EXPECT_NEAR(complexity->fit().constant, flat ? constant + 3 : constant, 1e-6 * (constant + 1));
      EXPECT_NEAR(complexity->fit().coefficient, flat ? 0 : 3, 1e-9);
      EXPECT_NEAR(value_at(complexity->fit(), 64), constant + 3 * growth(order, 64), 1e-6 * growth(order, 64) + 1e-6);
    }
  }
}

/// What the header says of a model with one term: it is Google Benchmark's, and takes the loop's start for its growth.
TEST(Complexity, AConstantDoesNotHideGrowth) {
  const auto complexity = complexity_of(series(kNumbers, [](double n) { return 1000 + n; }));
  ASSERT_TRUE(complexity);
  EXPECT_EQ(complexity->best, Order::linear);
  EXPECT_EQ(complexity->fit().residual, 0);
  EXPECT_NE(best_of_one_term(*complexity), Order::linear);
}

/// std::lower_bound over 4 to 1024 integers, counted: 12 instructions for each halving, from 22 on.
TEST(Complexity, RealCountsOfABinarySearchAreExactlyLogarithmic) {
  const auto complexity = complexity_of(counts_at(kNumbers, {46, 70, 94, 118, 142}));
  ASSERT_TRUE(complexity);
  EXPECT_EQ(complexity->best, Order::logarithmic);
  EXPECT_EQ(complexity->fit().residual, 0);
  EXPECT_NEAR(complexity->fit().constant, 22, 1e-9);
  EXPECT_NEAR(complexity->fit().coefficient, 12, 1e-9);
}

TEST(Complexity, RealCounts) {
  struct Real {
    const char* what;
    std::vector<double> counts;
    Order order;
    double residual_at_most;
  };
  const std::vector<Real> all = {
      {"std::sort", {293.01, 665.01, 3507, 17196, 85945}, Order::linearithmic, 0.058},
      {"sorted()", {1499, 3096, 12274, 62079, 306321}, Order::linearithmic, 0.014},
      {"std::accumulate, in vectors", {30, 43, 85, 253, 925}, Order::linear, 0.022},
      {"sum(), small and larger integers", {767, 1403, 4049, 14225, 54929}, Order::linear, 0.009},
      {"in a set", {188, 188, 188, 188, 188}, Order::constant, 0},
      {"std::unordered_set, by the luck of its buckets", {40.01, 23.01, 40.01, 40.01, 40.01}, Order::constant, 0.25},
      {"bisect", {669, 945, 1221, 1497, 1773}, Order::logarithmic, 0},
  };
  for (const Real& real : all) {
    const auto complexity = complexity_of(counts_at(kNumbers, real.counts));
    ASSERT_TRUE(complexity);
    EXPECT_EQ(complexity->best, real.order) << real.what << ": " << to_string(complexity->best);
    EXPECT_LE(complexity->fit().residual, real.residual_at_most) << real.what;
  }
  const auto pairs = complexity_of(counts_at({4, 16, 64, 256}, {163, 1975, 29383, 461575}));
  ASSERT_TRUE(pairs);
  EXPECT_EQ(pairs->best, Order::quadratic);
}

/// Median times of the same pairs on a machine that others disturb: the first is four times too small.
TEST(Complexity, ATimeThatIsFarOffDoesNotMakeGrowthConstant) {
  const auto complexity = complexity_of(counts_at({4, 16, 64, 256}, {11e-9, 429e-9, 8e-6, 122e-6}));
  ASSERT_TRUE(complexity);
  EXPECT_EQ(complexity->best, Order::quadratic);
  EXPECT_GT(complexity->fit().residual, 0.3);
}

TEST(Complexity, WhatFallsOrWaversIsConstantAndItsResidualSaysSo) {
  for (const std::vector<double>& counts :
       {std::vector<double>{1600, 800, 400, 200, 100}, {45, 46, 46, 47, 46}, {100, 140, 90, 130, 105}}) {
    const auto complexity = complexity_of(counts_at(kNumbers, counts));
    ASSERT_TRUE(complexity);
    EXPECT_EQ(complexity->best, Order::constant);
    EXPECT_GT(complexity->fit().residual, 0);
  }
}

TEST(Complexity, NoModelHasANegativePart) {
  const auto complexity = complexity_of(series(kNumbers, [](double n) { return n * n * n - 60; }));
  ASSERT_TRUE(complexity);
  for (const GrowthFit& fit : complexity->fits) {
    EXPECT_GE(fit.constant, 0) << to_string(fit.order);
    EXPECT_GE(fit.coefficient, 0) << to_string(fit.order);
  }
}

TEST(Complexity, TheOneTermFiguresAreGoogleBenchmarks) {
  // 2 n: its coefficient is Σ n·2n / Σ n² and nothing is left.
  const auto linear = complexity_of(series({1, 2, 3}, [](double n) { return 2 * n; }));
  ASSERT_TRUE(linear);
  EXPECT_DOUBLE_EQ(linear->fit().big_o, 2);
  EXPECT_NEAR(linear->fit().rms, 0, 1e-12);
  // O(1) of 1, 2, 3 is their mean, 2; the root mean square of -1, 0, 1 over it is √(2/3) / 2.
  const GrowthFit flat = complexity_of(counts_at({1, 2, 3}, {1, 2, 3}))->fits.front();
  EXPECT_DOUBLE_EQ(flat.big_o, 2);
  EXPECT_NEAR(flat.rms, std::sqrt(2.0 / 3) / 2, 1e-12);
}

TEST(Complexity, NeedsThreeDifferentNumbers) {
  EXPECT_FALSE(complexity_of({}));
  EXPECT_FALSE(complexity_of(counts_at({4, 16}, {1, 2})));
  EXPECT_FALSE(complexity_of(counts_at({4, 16, 16, 4}, {1, 2, 2, 1})));
  // Neither an empty input nor what was optimised away can be fitted: a deviation from nothing is no share of it.
  EXPECT_FALSE(complexity_of(counts_at({0, 4, 16, 64}, {5, 4, 16, 0})));
  EXPECT_TRUE(complexity_of(counts_at({0, 4, 16, 64}, {5, 4, 16, 64})));
}

TEST(Complexity, LargeNumbersKeepTheirDigits) {
  const auto complexity = complexity_of(series({1e3, 1e4, 1e5, 1e6}, [](double n) { return 5e6 + 0.25 * n * n * n; }));
  ASSERT_TRUE(complexity);
  EXPECT_EQ(complexity->best, Order::cubic);
  EXPECT_NEAR(complexity->fit().constant, 5e6, 1);
  EXPECT_EQ(complexity->fit().residual, 0);
}

}  // namespace
}  // namespace tally
