#include "history/change_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "history/example_noise.h"

namespace tally {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::size_t> places(const std::vector<ChangePoint>& points) {
  std::vector<std::size_t> places;
  places.reserve(points.size());
  for (const ChangePoint& point : points) places.push_back(point.index);
  return places;
}

struct Level {
  std::size_t runs;
  double seconds;
};

/// Levels one after the other, with noise of `deviation`.
std::vector<double> series_of(const std::vector<Level>& levels, double deviation = 0.005) {
  Noise noise(7);
  std::vector<double> series;
  for (const auto& [runs, seconds] : levels) {
    for (std::size_t i = 0; i < runs; ++i) series.push_back(seconds * (1 + deviation * noise.normal()));
  }
  return series;
}

TEST(ChangePoints, AStepUp) {
  const auto points = change_points(series_of({{40, 2e-6}, {40, 2.1e-6}}));
  ASSERT_THAT(places(points), ElementsAre(40));
  EXPECT_NEAR(points[0].before, 2e-6, 0.01e-6);
  EXPECT_NEAR(points[0].after, 2.1e-6, 0.01e-6);
  EXPECT_NEAR(points[0].change(), 0.05, 0.005);
  EXPECT_LT(points[0].p_value, 1e-10);
  EXPECT_FALSE(points[0].provisional);
}

TEST(ChangePoints, AStepDown) {
  const auto points = change_points(series_of({{40, 2.1e-6}, {40, 2e-6}}));
  ASSERT_THAT(places(points), ElementsAre(40));
  EXPECT_NEAR(points[0].change(), -0.0476, 0.005);
}

TEST(ChangePoints, SeveralSteps) {
  EXPECT_THAT(places(change_points(series_of({{30, 1}, {25, 1.1}, {200, 1.05}, {9, 1.5}, {60, 1.05}, {300, 1.08}}))),
              ElementsAre(30, 55, 255, 264, 324));
}

TEST(ChangePoints, WhatLiesBeforeAStepBeyondAWindowDoesNotMatter) {
  const auto points = change_points(series_of({{500, 1}, {500, 1.03}}));
  ASSERT_THAT(places(points), ElementsAre(500));
  EXPECT_NEAR(points[0].change(), 0.03, 0.002);
}

TEST(ChangePoints, SmallerThanAsked) {
  const auto series = series_of({{60, 1}, {60, 1.008}}, 0.002);
  EXPECT_THAT(change_points(series), IsEmpty());
  EXPECT_THAT(places(change_points(series, {.least_change = 0.005})), ElementsAre(60));
}

TEST(ChangePoints, OneBadRunIsNone) {
  auto series = series_of({{80, 1}});
  for (const std::size_t at : {0U, 5U, 40U, 77U, 78U, 79U}) {
    for (const double factor : {1.03, 1.5, 50.0, 0.5}) {
      auto spiked = series;
      spiked[at] *= factor;
      EXPECT_THAT(change_points(spiked), IsEmpty()) << at << " " << factor;
    }
  }
}

TEST(ChangePoints, ASpikeBesideAStepDoesNotHideIt) {
  auto series = series_of({{40, 1}, {40, 1.04}});
  series[20] = 30;
  series[60] = 90;
  EXPECT_THAT(places(change_points(series)), ElementsAre(40));
}

TEST(ChangePoints, ProvisionalUntilFourRunsHaveIt) {
  for (const std::size_t later : {3U, 4U, 5U}) {
    const auto points = change_points(series_of({{64, 1}, {later, 1.2}}));
    ASSERT_THAT(places(points), ElementsAre(64)) << later;
    EXPECT_EQ(points[0].provisional, later < 4) << later;
  }
}

TEST(ChangePoints, AGlaringStepInAShortHistory) {
  EXPECT_THAT(places(change_points(series_of({{5, 1}, {5, 1.3}}))), ElementsAre(5));
  EXPECT_LT(change_points(series_of({{5, 1}, {5, 1.3}})).at(0).p_value, 1e-6);
}

TEST(ChangePoints, ASlowRampIsStepsOfOneDirection) {
  auto series = series_of({{400, 1}});
  for (std::size_t i = 0; i < series.size(); ++i) series[i] *= 1 + 0.2 * static_cast<double>(i) / 400;
  const auto points = change_points(series);
  EXPECT_GE(points.size(), 4);
  EXPECT_LE(points.size(), 20);
  for (const ChangePoint& point : points) EXPECT_GT(point.change(), 0.01);
}

TEST(ChangePoints, TooShortOrConstant) {
  for (std::size_t size = 0; size < 6; ++size) {
    EXPECT_THAT(change_points(std::vector<double>(size, 3e-6)), IsEmpty()) << size;
  }
  EXPECT_THAT(change_points(std::vector{1.0, 1.0, 2.0}), IsEmpty());
  EXPECT_THAT(change_points(std::vector{1.0, 1.1, 2.0, 2.1}), IsEmpty());
  EXPECT_THAT(change_points(std::vector<double>(1000, 3e-6)), IsEmpty());
  EXPECT_THAT(change_points(std::vector<double>(1000, 0.0)), IsEmpty());
}

TEST(ChangePoints, TiesFromACoarseClock) {
  auto series = std::vector<double>(30, 1e-6);
  series.insert(series.end(), 30, 1.1e-6);
  EXPECT_THAT(places(change_points(series)), ElementsAre(30));
}

/// A p-value is the chance of something like it where nothing changes.
TEST(ChangePoints, PValuesHoldForNoiseOfManyKinds) {
  constexpr int rounds = 1500;
  for (const NoiseKind& kind :
       std::vector<NoiseKind>{normal_noise, lognormal_noise, bimodal_noise, spiky_noise, coarse_noise}) {
    Noise noise(11);
    int at_5_percent = 0;
    int at_1_percent = 0;
    for (int round = 0; round < rounds; ++round) {
      const auto points = change_points(noise_series(64, kind, noise), {.least_change = 0});
      at_5_percent += std::ranges::any_of(points, [](const auto& point) { return point.p_value <= 0.05; }) ? 1 : 0;
      at_1_percent += std::ranges::any_of(points, [](const auto& point) { return point.p_value <= 0.01; }) ? 1 : 0;
    }
    EXPECT_LT(at_5_percent, rounds * 0.065);
    EXPECT_LT(at_1_percent, rounds * 0.017);
  }
}

TEST(ChangePoints, NoiseThatPersistsIsNoStepAndHidesNone) {
  Noise noise(12);
  std::size_t false_points = 0;
  std::size_t found = 0;
  for (int round = 0; round < 50; ++round) {
    auto series = persistent_series(400, 0.6, noise);
    for (const ChangePoint& point : change_points(series)) false_points += point.p_value < 0.0003 ? 1 : 0;
    for (std::size_t i = 200; i < series.size(); ++i) series[i] *= 1.06;
    found += std::ranges::any_of(
                 change_points(series),
                 [](const auto& point) { return point.p_value < 0.0003 && point.index >= 197 && point.index <= 203; })
                 ? 1U
                 : 0U;
  }
  EXPECT_LE(false_points, 5);
  EXPECT_GE(found, 45);
}

TEST(ChangePoints, MoreRunsLeaveAloneWhatWasFoundLongBefore) {
  const auto series = series_of({{100, 1}, {100, 1.03}, {100, 1}, {57, 1.04}, {243, 1.02}}, 0.01);
  const auto all = places(change_points(series));
  ASSERT_THAT(all, testing::SizeIs(4));
  for (std::size_t size = 10; size <= series.size(); size += 7) {
    const auto some = places(change_points(std::span(series).first(size)));
    for (const std::size_t point : all) {
      if (point + 64 < size) {
        EXPECT_THAT(some, testing::Contains(point)) << size;
      }
    }
  }
}

}  // namespace
}  // namespace tally
