#include "measurement/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tally {
namespace {

TEST(Statistics, MedianOfEvenAndOdd) {
  EXPECT_EQ(median(std::array{3.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(median(std::array{4.0, 1.0, 2.0, 3.0}), 2.5);
  EXPECT_EQ(median(std::span<const double>{}), 0.0);
}

TEST(Statistics, MedianOfLargeCountsIsExact) {
  const std::array<std::uint64_t, 2> values = {9007199254740992U, 9007199254740992U};
  EXPECT_EQ(median(values), 9007199254740992.0);
}

TEST(Statistics, QuantileInterpolatesLikeNumpy) {
  const std::array values = {1.0, 2.0, 3.0, 4.0};
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(interquartile_range(values), 1.5);
}

TEST(Statistics, StudentJoinsItsTableSmoothly) {
  EXPECT_NEAR(student_t_95(4), 2.776, 0.001);
  EXPECT_NEAR(student_t_95(31), 2.0395, 0.001);
  EXPECT_NEAR(student_t_95(100), 1.9840, 0.001);
}

TEST(Statistics, MedianIntervalTakesTheSignTestsRanks) {
  std::vector<double> values;
  for (int n = 1; n <= 25; ++n) values.push_back(n);
  const auto of = [&](std::size_t n) { return median_interval(std::span(values).first(n)); };
  EXPECT_EQ(of(1), (Interval{1, 1}));
  EXPECT_EQ(of(5), (Interval{1, 5}));
  EXPECT_EQ(of(8), (Interval{1, 8}));
  EXPECT_EQ(of(9), (Interval{2, 8}));
  EXPECT_EQ(of(25), (Interval{8, 18}));
  EXPECT_EQ(median_interval({}), Interval{});
  std::vector<double> many(2001);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i);
  EXPECT_NEAR(median_interval(many).low, 956, 2);
  EXPECT_NEAR(median_interval(many).high, 1044, 2);
}

TEST(Statistics, FiguresFollowTheInterval) {
  EXPECT_EQ(supported_figures(1.234, 0.01), 3);
  EXPECT_EQ(supported_figures(1.234, 0.3), 1);
  EXPECT_EQ(supported_figures(1.234, 5), 1);
  EXPECT_EQ(supported_figures(1.234, 0), 6);
}

}  // namespace
}  // namespace tally
