#include "measurement/wall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tally {
namespace {

/// `children` layouts, each of its own speed, and noise within: seconds about 1 µs.
WallSamples two_level(std::mt19937_64& random, int children, int samples, double between, double within) {
  std::normal_distribution<double> normal;
  WallSamples result;
  for (int c = 0; c < children; ++c) {
    const double centre = 1e-6 * (1 + between * normal(random));
    auto& child = result.by_child.emplace_back();
    for (int s = 0; s < samples; ++s) child.push_back(centre * (1 + within * normal(random)));
  }
  return result;
}

TEST(Wall, IntervalCoversTheTruthAcrossLayouts) {
  std::mt19937_64 random(7);
  int covered = 0;
  int naive = 0;
  constexpr int rounds = 1000;
  for (int i = 0; i < rounds; ++i) {
    const WallSamples samples = two_level(random, 5, 20, 0.02, 0.01);
    const Interval interval = hierarchical_interval(samples.by_child);
    covered += interval.low <= 1e-6 && 1e-6 <= interval.high;
    // The same samples taken for independent ones: the mistake that the hierarchy is there to avoid.
    std::vector<std::vector<double>> flat(1);
    for (const auto& child : samples.by_child) flat[0].insert(flat[0].end(), child.begin(), child.end());
    const Interval narrow = hierarchical_interval(flat);
    naive += narrow.low <= 1e-6 && 1e-6 <= narrow.high;
  }
  EXPECT_GT(covered, rounds * 92 / 100);
  EXPECT_LT(covered, rounds * 98 / 100);
  EXPECT_LT(naive, rounds * 75 / 100);
}

/// As two_level, with `share` of the children slower by 5 to 50 %, as a busy neighbour makes them.
WallSamples disturbed(std::mt19937_64& random, int children, double share) {
  std::uniform_real_distribution<double> uniform;
  WallSamples result = two_level(random, children, 20, 0.004, 0.004);
  for (auto& child : result.by_child) {
    const double factor = uniform(random) < share ? 1.05 + 0.45 * uniform(random) : 1;
    for (double& value : child) value *= factor;
  }
  return result;
}

TEST(Wall, SlowChildrenDoNotWidenTheInterval) {
  std::mt19937_64 random(17);
  int narrow = 0;
  for (int i = 0; i < 300; ++i) {
    const Interval interval = hierarchical_interval(disturbed(random, 15, 0.1).by_child);
    narrow += interval.half_width() < 0.01e-6;
  }
  EXPECT_GT(narrow, 270);
}

TEST(Wall, IntervalCoversTheMedianOfTwoLayouts) {
  std::mt19937_64 random(18);
  std::uniform_real_distribution<double> uniform;
  int covered = 0;
  int ratio_covered = 0;
  constexpr int rounds = 600;
  constexpr double truth = 1e-6 * (1 + 0.004 * 0.967);  // 5/6 of the fast layout's children are below the median of all
  const auto two_layouts = [&](double slow_share) {
    WallSamples samples = two_level(random, 25, 20, 0.004, 0.004);
    for (auto& child : samples.by_child) {
      const double factor = uniform(random) < slow_share ? 1.1 : 1;
      for (double& value : child) value *= factor;
    }
    return samples;
  };
  for (int i = 0; i < rounds; ++i) {
    const auto samples = two_layouts(0.4);
    const Interval interval = hierarchical_interval(samples.by_child);
    covered += interval.low <= truth && truth <= interval.high;
    const auto ratio = ratio_interval(samples.by_child, two_layouts(0.4).by_child);
    ratio_covered += ratio->low <= 1 && 1 <= ratio->high;
  }
  EXPECT_GT(covered, rounds * 90 / 100);
  EXPECT_GT(ratio_covered, rounds * 90 / 100);
}

TEST(Wall, TimesThatAreNotAboveZeroHaveNoRatio) {
  const std::vector<std::vector<double>> nothing = {{-1e-10}, {-1e-10}, {-1e-10}, {1e-10}, {1e-10}};
  const std::vector<std::vector<double>> much = {{1e-3}, {1.01e-3}, {1e-3}, {0.99e-3}, {1e-3}};
  EXPECT_FALSE(ratio_interval(nothing, much));
  EXPECT_FALSE(ratio_interval(much, nothing));
  EXPECT_TRUE(ratio_interval(much, much));
}

TEST(Wall, RatioIntervalCoversTheTruth) {
  std::mt19937_64 random(8);
  int covered = 0;
  constexpr int rounds = 600;
  for (int i = 0; i < rounds; ++i) {
    const auto a = two_level(random, 5, 20, 0.02, 0.01);
    auto b = two_level(random, 6, 20, 0.01, 0.01);
    for (auto& child : b.by_child) {
      for (double& value : child) value *= 1.1;
    }
    const auto ratio = ratio_interval(a.by_child, b.by_child);
    ASSERT_TRUE(ratio);
    covered += ratio->low <= 1.1 && 1.1 <= ratio->high;
  }
  EXPECT_GT(covered, rounds * 92 / 100);
}

TEST(Wall, SamplesComeBackGroupedByChild) {
  const WallSamples samples{.number_per_run = 10, .by_child = {{1, 2, 3}, {}, {4, 5}}};
  const Wall wall = summarize_wall(samples);
  EXPECT_EQ(samples_by_child(wall), samples.by_child);
  EXPECT_EQ(wall.median_s, 3);
}

TEST(Wall, OneModeIsNotTwo) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  int false_alarms = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<double> gaussian;
    std::vector<double> flat;
    std::vector<double> tailed;
    for (int i = 0; i < 60; ++i) {
      gaussian.push_back(1 + 0.05 * normal(random));
      flat.push_back(1 + uniform(random));
      tailed.push_back(1 + 0.1 * std::exp(normal(random)));
    }
    false_alarms += is_bimodal(gaussian) + is_bimodal(flat) + is_bimodal(tailed);
  }
  EXPECT_LE(false_alarms, 9);  // of 900
}

TEST(Wall, TwoModesAreFlagged) {
  std::mt19937_64 random(10);
  std::normal_distribution<double> normal;
  WallSamples samples;
  for (int c = 0; c < 5; ++c) {
    auto& child = samples.by_child.emplace_back();
    for (int i = 0; i < 20; ++i) child.push_back((i % 4 == 0 ? 1.2 : 1.0) * (1 + 0.01 * normal(random)));
  }
  EXPECT_THAT(wall_flags(samples, 1), testing::ElementsAre("bimodal"));
}

TEST(Wall, DriftIsFlaggedAndNoiseIsNot) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> steady(5);
  std::vector<std::vector<double>> warming(5);
  for (int c = 0; c < 5; ++c) {
    for (int i = 0; i < 40; ++i) {
      steady[c].push_back(1 + 0.02 * normal(random));
      warming[c].push_back(1 + 0.002 * i + 0.02 * normal(random));
    }
  }
  EXPECT_FALSE(is_drifting(steady));
  EXPECT_TRUE(is_drifting(warming));
}

TEST(Wall, NanosecondModesSurviveCancellation) {
  std::vector<double> samples(40);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = (i % 2 == 1 ? 1.00e-9 : 1.05e-9) + 1e-13 * static_cast<double>(i);
  EXPECT_TRUE(is_bimodal(samples));
}

TEST(Wall, ATimeThatTheClockCannotDistinguishFromNothingIsFlagged) {
  using testing::Contains;
  using testing::Not;
  WallSamples samples{.number_per_run = 1000, .by_child = {{0, 0, 0}, {0, 1e-9, 0}}};
  EXPECT_THAT(wall_flags(samples, 0.5), Contains("below_clock")) << "nothing, whatever the clock";
  samples.by_child = {{1e-12, 1e-12}, {1e-12, 1e-12}};
  EXPECT_THAT(wall_flags(samples, 0.5), Not(Contains("below_clock"))) << "said by the benchmark";
  samples.clock_s = 25e-9;
  EXPECT_THAT(wall_flags(samples, 0.5), Contains("below_clock")) << "1 ns of a block";
  samples.by_child = {{1e-9, 1e-9}, {1e-9, 1e-9}};
  EXPECT_THAT(wall_flags(samples, 0.5), Not(Contains("below_clock"))) << "a microsecond of a block";
}

TEST(Wall, WhatTheMachineDidIsFlagged) {
  WallSamples samples{.by_child = {{1, 1.001}, {1, 1.001}}};
  const std::vector<std::string> undisturbed = wall_flags(samples, 0.5);
  samples.watch = WallWatch{.frequency_mhz_low = {}, .frequency_mhz_high = {}, .steal_share = 0.009, .throttled = {}};
  EXPECT_EQ(wall_flags(samples, 0.5), undisturbed);
  samples.watch->steal_share = 0.02;
  samples.watch->throttled = {1};
  std::vector<std::string> flags = undisturbed;
  flags.insert(flags.end(), {"throttled", "stolen"});
  EXPECT_EQ(wall_flags(samples, 0.5), flags);
  EXPECT_EQ(summarize_wall(samples).watch, samples.watch);
}

}  // namespace
}  // namespace tally
