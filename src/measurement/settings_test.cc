#include "measurement/settings.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(Settings, AGreatestNumberIsNoLessThanItsLeastOne) {
  const Settings settings = normalized({.replicates = 9, .min_run_time_s = 3});
  EXPECT_EQ(settings.max_replicates, 9);
  EXPECT_EQ(settings.max_run_time_s, 3);
}

TEST(Settings, WhatIsSoundStays) {
  Settings settings{.replicates = 3, .max_replicates = 7, .noise_floor = true, .max_run_time_s = 2};
  settings.entropy = "system";
  EXPECT_EQ(normalized(settings), settings);
}

TEST(Settings, OnlyCountsHaveANoiseFloorAndEachRunSaysWhoAnswersForRandomness) {
  const Settings settings = normalized({.counts = false, .noise_floor = true});
  EXPECT_FALSE(settings.noise_floor);
  EXPECT_EQ(settings.entropy, "fixed");
}

}  // namespace
}  // namespace tally
