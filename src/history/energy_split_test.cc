#include "history/energy_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "history/example_noise.h"

namespace tally {
namespace {

using testing::ElementsAre;

TEST(DoubledRanks, EqualValuesShareTheMiddleOfTheirs) {
  EXPECT_THAT(doubled_ranks(std::vector{30.0, 10.0, 20.0}), ElementsAre(4, 0, 2));
  EXPECT_THAT(doubled_ranks(std::vector{2.0, 1.0, 2.0, 3.0}), ElementsAre(3, 0, 3, 6));
  EXPECT_THAT(doubled_ranks(std::vector{7e-9, 7e-9, 7e-9}), ElementsAre(2, 2, 2));
  EXPECT_TRUE(doubled_ranks({}).empty());
}

double mean_distance(std::span<const std::int32_t> some, std::span<const std::int32_t> others) {
  double sum = 0;
  for (const auto a : some) {
    for (const auto b : others) sum += std::abs(a - b);
  }
  const double pairs = static_cast<double>(some.size()) * static_cast<double>(others.size());
  return sum / pairs;
}

/// By the definition; of a part with itself, pairs of a value with itself are none.
double divergence(std::span<const std::int32_t> ranks, std::size_t at) {
  const auto left = ranks.first(at);
  const auto right = ranks.subspan(at);
  const auto inside = [](std::span<const std::int32_t> part) {
    const auto size = static_cast<double>(part.size());
    return size > 1 ? mean_distance(part, part) * size / (size - 1) : 0;
  };
  const auto m = static_cast<double>(left.size());
  const auto n = static_cast<double>(right.size());
  return m * n / (m + n) * (2 * mean_distance(left, right) - inside(left) - inside(right));
}

TEST(EnergySplit, IsTheCutWithTheGreatestDivergence) {
  Noise noise(1);
  for (const std::size_t size : {2U, 5U, 17U, 64U}) {
    for (const std::size_t least : {1U, 2U}) {
      if (size < 2 * least) continue;
      const auto ranks = doubled_ranks(noise_series(size, coarse_noise, noise));
      const EnergySplit split = best_energy_split(ranks, least);
      EXPECT_NEAR(split.divergence, divergence(ranks, split.at), 1e-9 * static_cast<double>(size));
      EXPECT_GE(split.at, least);
      EXPECT_LE(split.at, size - least);
      for (std::size_t at = least; at + least <= size; ++at) {
        EXPECT_LE(divergence(ranks, at), split.divergence + 1e-9 * static_cast<double>(size));
      }
    }
  }
}

TEST(EnergySplit, FindsAStep) {
  EXPECT_EQ(best_energy_split(doubled_ranks(std::vector{1.0, 1.1, 0.9, 1.05, 2.0, 2.1, 1.9}), 2).at, 4);
}

TEST(EnergySplit, NothingToCut) {
  EXPECT_EQ(best_energy_split({}, 1).at, 0);
  EXPECT_EQ(best_energy_split(doubled_ranks(std::vector{1.0, 2.0, 3.0}), 2).at, 0);
}

}  // namespace
}  // namespace tally
