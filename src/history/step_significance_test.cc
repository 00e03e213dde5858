#include "history/step_significance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "history/energy_split.h"
#include "history/example_noise.h"

namespace tally {
namespace {

/// By going through all arrangements of `few` marks among the ranks.
double enumerated_p(double inversions, std::size_t few, std::size_t many) {
  std::vector<int> is_first(few + many, 0);
  std::fill_n(is_first.begin(), few, 1);
  const double pairs = static_cast<double>(few * many);
  const double extreme = std::min(inversions, pairs - inversions);
  std::size_t all = 0;
  std::size_t as_extreme = 0;
  do {
    double mine = 0;
    std::size_t others = 0;
    for (const int one : is_first) {
      if (one == 1) mine += static_cast<double>(others);
      if (one == 0) ++others;
    }
    ++all;
    if (std::min(mine, pairs - mine) <= extreme) ++as_extreme;
  } while (std::ranges::prev_permutation(is_first).found);
  return static_cast<double>(as_extreme) / static_cast<double>(all);
}

TEST(MannWhitney, IsTheShareOfArrangementsThatAreAsExtreme) {
  for (const auto& [few, many] : {std::pair{2U, 9U}, {3U, 7U}, {4U, 4U}, {5U, 8U}}) {
    for (double u = 0; mann_whitney_p(u, few, many) < 0.1; ++u) {
      EXPECT_NEAR(mann_whitney_p(u, few, many), enumerated_p(u, few, many), 1e-12) << few << " " << many << " " << u;
      EXPECT_EQ(mann_whitney_p(u, few, many), mann_whitney_p(few * many - u, many, few));
    }
  }
}

TEST(MannWhitney, OfLongerStretches) {
  // Exact values of SciPy's mannwhitneyu.
  EXPECT_NEAR(mann_whitney_p(20, 10, 12), 0.0071446, 1e-7);
  EXPECT_NEAR(mann_whitney_p(5, 3, 60), 0.00080582, 1e-8);
  EXPECT_NEAR(mann_whitney_p(250, 30, 30), 0.0027381 * 1.1, 0.0027381 * 0.1);  // Normal: never less than exact.
}

TEST(MannWhitney, TiesCountHalf) {
  const std::vector values{1.0, 2.0, 2.0, 3.0};
  EXPECT_EQ(inversions(doubled_ranks(values), 2), 0.5);
  EXPECT_EQ(inversions(doubled_ranks(std::vector{5.0, 5.0, 5.0, 5.0}), 2), 2);
  EXPECT_EQ(inversions(doubled_ranks(std::vector{3.0, 4.0, 1.0, 2.0}), 2), 4);
}

TEST(Welch, IsWhatSciPySays) {
  EXPECT_NEAR(welch_p(std::vector{10.1, 9.8, 10.4, 10.0, 9.9}, std::vector{11.2, 12.9, 10.9, 11.6}), 0.0319990, 1e-7);
  EXPECT_NEAR(welch_p(std::vector{1.0, 1.3, 0.8, 1.1, 0.9, 1.2}, std::vector{1.05, 1.2, 0.9, 1.1}), 0.9023439, 1e-7);
  EXPECT_NEAR(welch_p(std::vector{1.0, 1.0001, 1.0002, 0.9999}, std::vector{1.3, 1.301, 1.302, 1.299}), 1.6226735e-8,
              1e-14);
}

TEST(Welch, WithoutAMeasureOfDistanceSaysNothing) {
  EXPECT_EQ(welch_p(std::vector{1.0, 1.0, 1.0}, std::vector{2.0, 2.0, 2.0}), 1);
  EXPECT_EQ(welch_p(std::vector{1.0}, std::vector{2.0, 2.1, 2.2}), 1);
}

TEST(Searched, IsMoreThanOfOneCutAndLessThanOfAllApart) {
  for (const double p : {1e-3, 1e-4, 1e-5}) {
    for (const std::size_t size : {24U, 64U, 128U}) {
      EXPECT_GT(searched(p, size, 2), p);
      EXPECT_LT(searched(p, size, 2), p * static_cast<double>(size - 3));
    }
  }
  EXPECT_EQ(searched(0.5, 64, 2), 1);
  EXPECT_EQ(searched(0, 64, 2), 0);
}

TEST(Persistence, IsTheCorrelationOfNeighboursLessItsError) {
  Noise noise(5);
  const auto of = [&](double persistent, std::size_t size) {
    return noise_persistence(doubled_ranks(persistent_series(size, persistent, noise)), size / 2);
  };
  EXPECT_LT(of(0, 2000), 0.03);
  EXPECT_NEAR(of(0.8, 2000), 0.78 - 0.022, 0.05);
  EXPECT_EQ(noise_persistence(doubled_ranks(std::vector<double>(10, 1.0)), 5), 0);
  EXPECT_EQ(noise_persistence(doubled_ranks(std::vector{1.0, 2.0, 1.1, 2.1, 1.2, 2.2}), 3), 0);
}

/// Of series in which nothing changes, the best cut must not seem better than it is.
TEST(Searched, HoldsForTheBestCut) {
  Noise noise(3);
  constexpr int rounds = 4000;
  int at_5_percent = 0;
  int at_1_percent = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto series = noise_series(40, lognormal_noise, noise);
    const auto ranks = doubled_ranks(series);
    double best = 1;
    for (std::size_t at = 2; at <= 38; ++at) {
      best = std::min(best, mann_whitney_p(inversions(ranks, at), at, series.size() - at));
    }
    const double p = searched(best, series.size(), 2);
    at_5_percent += p <= 0.05 ? 1 : 0;
    at_1_percent += p <= 0.01 ? 1 : 0;
  }
  EXPECT_LT(at_5_percent, rounds * 0.06);
  EXPECT_GT(at_5_percent, rounds * 0.025);
  EXPECT_LT(at_1_percent, rounds * 0.0135);
  EXPECT_GT(at_1_percent, rounds * 0.004);
}

}  // namespace
}  // namespace tally
