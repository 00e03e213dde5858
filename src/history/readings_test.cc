#include "history/readings.h"

#include <gmock/gmock.h>

namespace tally {
namespace {

using testing::HasSubstr;

Record run_of(const std::string& commit, double count, const std::string& started, const std::string& library = "one") {
  Record run;
  run.source = Source{.repository = {}, .commit = commit, .tree = {}, .parents = {}};
  run.started = started;
  run.environments[environment_name("cpp", "cpp")].facts = {{"compiler", "clang"}, {"mapped.libx.so", library}};
  CaseRecord one;
  one.id = "a [cpp]";
  one.language = "cpp";
  one.toolchain = "cpp";
  one.status = CaseStatus::ok;
  one.counts = Counts{};
  one.counts->per_iteration = count;
  run.cases.push_back(one);
  set_fingerprints(run);
  return run;
}

TEST(Readings, TheLastRunOfACommitCounts) {
  Readings readings{Settings{}};
  EXPECT_EQ(readings.at("c1", "a [cpp]"), nullptr);
  readings.add_stored(run_of("c1", 7, "2026-02"));
  readings.add_stored(run_of("c1", 5, "2026-01"));
  EXPECT_EQ(readings.at("c1", "a [cpp]")->of->counts->per_iteration, 7);
  EXPECT_TRUE(readings.at("c1", "a [cpp]")->has_count());
  EXPECT_EQ(readings.at("c2", "a [cpp]"), nullptr);
}

TEST(Readings, OfAnotherEnvironmentNothingIsKnown) {
  Readings readings{Settings{}};
  readings.add_stored(run_of("c1", 5, "2026-01", "old"));
  readings.add_stored(run_of("c2", 6, "2026-02", "new"));
  EXPECT_EQ(readings.at("c1", "a [cpp]"), nullptr) << "what was begun last decides";
  EXPECT_NE(readings.at("c2", "a [cpp]"), nullptr);
  ASSERT_TRUE(readings.add_fresh(run_of("c3", 7, "2026-03", "newest"), "", {"a [cpp]"}));
  EXPECT_EQ(readings.at("c2", "a [cpp]"), nullptr) << "what is measured now decides";
  readings.add_stored(run_of("c4", 7, "2026-04", "new"));
  EXPECT_EQ(readings.at("c4", "a [cpp]"), nullptr);
  const auto refused = readings.add_fresh(run_of("c5", 7, "2026-05", "another"), "", {"a [cpp]"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(describe(refused.error()),
              HasSubstr("ran in another environment at c5 than at c3: mapped.libx.so differs"));
}

TEST(Readings, WhatWasRequestedAndIsNotThereIsKnown) {
  Readings readings{Settings{}};
  ASSERT_TRUE(readings.add_fresh(run_of("c1", 7, "2026-03"), "", {"a [cpp]", "b [cpp]"}));
  ASSERT_NE(readings.at("c1", "b [cpp]"), nullptr);
  EXPECT_FALSE(readings.at("c1", "b [cpp]")->has_count());
}

TEST(Readings, ACountBelowZeroIsNone) {
  Readings readings{Settings{}};
  readings.add_stored(run_of("c1", -8, "2026-01"));
  EXPECT_FALSE(readings.at("c1", "a [cpp]")->has_count());
}

TEST(Readings, OtherIterationsAreAnotherMatter) {
  Settings settings;
  settings.iterations = 5;
  Readings readings{settings};
  readings.add_stored(run_of("c1", 7, "2026-03"));
  EXPECT_EQ(readings.at("c1", "a [cpp]"), nullptr);
}

}  // namespace
}  // namespace tally
