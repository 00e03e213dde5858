#include "measurement/counts.h"

#include <gtest/gtest.h>

#include <array>

namespace tally {
namespace {

TEST(Counts, BaselineIsTakenOffEveryEvent) {
  const Counts counts = summarize_counts({.iterations = 100,
                                          .events = {"Ir", "D1mr"},
                                          .replicates = {{100'700, 250}, {100'700, 260}, {100'800, 250}},
                                          .baseline = {{700, 50}}});
  EXPECT_DOUBLE_EQ(counts.per_iteration, 1000);
  EXPECT_DOUBLE_EQ(counts.events[1].second, 2);
  EXPECT_DOUBLE_EQ(counts.spread, 100 / 100'700.0);
  ASSERT_TRUE(counts.estimated_cycles);
  EXPECT_DOUBLE_EQ(*counts.estimated_cycles, 1020);
}

TEST(Counts, CyclesNeedASimulation) {
  EXPECT_FALSE(summarize_counts({.events = {"Ir"}, .replicates = {{5}}, .baseline = {}}).estimated_cycles);
}

TEST(Counts, AgreementIsRelativeOrAbsolute) {
  EXPECT_TRUE(replicates_agree(std::array<std::uint64_t, 2>{1'000'000, 1'000'900}, 1));
  EXPECT_FALSE(replicates_agree(std::array<std::uint64_t, 2>{1'000'000, 1'001'900}, 1));
  EXPECT_TRUE(replicates_agree(std::array<std::uint64_t, 2>{1'000, 1'400}, 100));
}

TEST(Counts, ThreadsAddUpToTheWholeOrAreNotItsThreads) {
  const CountSamples alone{.iterations = 10,
                           .events = {"D1mr", "Ir"},
                           .replicates = {{0, 10'100}, {0, 20'110}},
                           .baseline = {{0, 100}, {0, 110}}};
  const std::vector<double> each = counts_by_thread(alone);
  EXPECT_EQ(each, (std::vector<double>{1000, 2000}));
  EXPECT_TRUE(adds_up(each, {.per_iteration = 3000}));
  EXPECT_TRUE(adds_up(each, {.per_iteration = 3000.9}));
  EXPECT_FALSE(adds_up(each, {.per_iteration = 2000}));
  EXPECT_FALSE(adds_up(each, {.per_iteration = 3001.1}));
}

TEST(Counts, TwoEqualReplicatesAreEnough) {
  EXPECT_TRUE(needs_more_replicates(std::array<std::uint64_t, 1>{7}, 2, 5));
  EXPECT_FALSE(needs_more_replicates(std::array<std::uint64_t, 2>{7, 7}, 2, 5));
  EXPECT_TRUE(needs_more_replicates(std::array<std::uint64_t, 2>{7, 8}, 2, 5));
  EXPECT_FALSE(needs_more_replicates(std::array<std::uint64_t, 5>{7, 8, 7, 8, 7}, 2, 5));
}

TEST(Counts, FloorHoldsTheUndisturbedCount) {
  const NoiseFloor floor = noise_floor(100, {{"hash_seed=1", 101}, {"heap_pad=64", 100.5}});
  EXPECT_EQ(floor.low, 100);
  EXPECT_EQ(floor.high, 101);
}

}  // namespace
}  // namespace tally
