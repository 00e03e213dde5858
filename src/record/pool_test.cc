#include "record/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/example_record.h"

namespace tally {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Counts counts_of(std::vector<std::vector<std::uint64_t>> replicates) {
  return summarize_counts({.iterations = 100,
                           .events = {"Ir", "D1mr"},
                           .replicates = std::move(replicates),
                           .baseline = {{700, 0}, {700, 0}}});
}

TEST(Pool, RawCountsAreSummarizedAnew) {
  Counts a = counts_of({{100'700, 100}, {100'700, 100}});
  Counts b = counts_of({{100'900, 400}});
  a.allocations = 1;
  b.allocations = 4;
  a.per_thread = {100, 900};
  b.per_thread = {100, 903};
  a.floor = NoiseFloor{.low = 990, .high = 1001, .samples = {{"x", 990}}};
  b.floor = NoiseFloor{.low = 999, .high = 1010, .samples = {{"y", 1010}}};
  const Counts both = pool(a, b);
  EXPECT_THAT(both.replicates, ElementsAre(100'700, 100'700, 100'900));
  EXPECT_EQ(both.baseline_replicates.size(), 4U);
  EXPECT_EQ(both.per_iteration, 1000);
  EXPECT_EQ(both.events[0].second, 1000);
  EXPECT_EQ(both.events[1].second, 2);  // (2 · 1 + 1 · 4) / 3
  EXPECT_EQ(*both.allocations, 2);
  EXPECT_THAT(*both.per_thread, ElementsAre(100, 901));
  EXPECT_EQ(both.floor->low, 990);
  EXPECT_EQ(both.floor->high, 1010);
  EXPECT_EQ(both.floor->samples.size(), 2U);
}

TEST(Pool, ChildrenStayChildren) {
  Wall a = summarize_wall({.number_per_run = 10, .overhead_s = 1e-9, .by_child = {{1, 1, 1}, {2, 2}}});
  Wall b = summarize_wall({.number_per_run = 20, .overhead_s = 2e-9, .by_child = {{3}, {4, 4}}});
  a.watch = WallWatch{.frequency_mhz_low = 2000, .frequency_mhz_high = 3000, .steal_share = 0, .throttled = {1}};
  b.watch = WallWatch{.frequency_mhz_low = 1000, .frequency_mhz_high = 2500, .steal_share = 0.8, .throttled = {2}};
  const Wall both = pool(a, b);
  EXPECT_THAT(both.samples_per_child, ElementsAre(3, 2, 1, 2));
  EXPECT_EQ(both.median_s, 2);
  EXPECT_EQ(both.interval_s, hierarchical_interval(samples_by_child(both)));
  EXPECT_EQ(*both.watch->frequency_mhz_low, 1000);
  EXPECT_EQ(*both.watch->frequency_mhz_high, 3000);
  EXPECT_NEAR(*both.watch->steal_share, 0.3, 1e-12);
  EXPECT_THAT(both.watch->throttled, ElementsAre(1, 7));
}

TEST(Pool, AFailureInEitherHalfIsAFailure) {
  const Record good = [] {
    Record record = example_record();
    record.cases = {example_case("a")};
    return record;
  }();
  Record bad = good;
  bad.cases[0].status = CaseStatus::crashed;
  bad.cases[0].counts.reset();
  bad.cases[0].failure = Failure{.stage = "count", .message = "killed"};
  for (const auto& pooled : {pool(good, bad), pool(bad, good)}) {
    ASSERT_TRUE(pooled);
    EXPECT_EQ(pooled->cases[0].status, CaseStatus::crashed);
    EXPECT_EQ(pooled->cases[0].failure->message, "killed");
    EXPECT_EQ(pooled->cases[0].attempts.size(), 2U);
  }
}

TEST(Pool, FlagsFollowTheWhole) {
  Record a = example_record();
  a.cases = {example_case("a")};
  Record b = a;
  a.cases[0].flags = {"bimodal", "optimised_away"};
  b.cases[0].counts = counts_of({{150'700, 0}});
  const auto pooled = pool(a, b);
  ASSERT_TRUE(pooled);
  EXPECT_THAT(pooled->cases[0].flags, testing::IsSupersetOf({"counts_vary", "optimised_away"}));
  EXPECT_THAT(pooled->cases[0].flags, Not(testing::Contains("bimodal")));
  EXPECT_EQ(pooled->settings.repeat, 2);
  EXPECT_EQ(pooled->seconds, 2 * a.seconds);
}

TEST(Pool, ExitCodesAreThoseOfBothRounds) {
  Record a = example_record();
  a.cases = {example_case("a")};
  a.cases[0].used = ResourceUse{.user_s = 1, .exit_codes = {{1, 2}}};
  Record b = a;
  b.cases[0].used->exit_codes = {{0, 1}};
  EXPECT_THAT(pool(a, b)->cases[0].used->exit_codes, testing::Optional(testing::ElementsAre(0, 1, 2)));
  b.cases[0].used->exit_codes.reset();
  EXPECT_EQ(pool(a, b)->cases[0].used->exit_codes, std::nullopt);
}

TEST(Pool, HostsOfRoundsMayHaveStartedDifferently) {
  Record a = example_record();
  Record b = a;
  a.settings.host_start = std::map<std::string, std::string>{{"torch", "ordinary"}};
  b.settings.host_start = std::map<std::string, std::string>{{"torch", "image"}};
  const auto pooled = pool(a, b);
  ASSERT_TRUE(pooled);
  EXPECT_EQ(pooled->settings.host_start, a.settings.host_start);
}

TEST(Pool, DifferentThingsAreRefused) {
  const Record a = example_record();
  Record other_subject = a;
  other_subject.environments["torch"].fingerprint.subject = "s2";
  Record other_case = a;
  other_case.cases[0].id = "another";
  Record other_count = a;
  other_count.cases[0].counts->iterations = 7;
  Record other_code = a;
  other_code.cases[0].definition.stmt = "x += 2.0;";
  Record other_flags = a;
  other_flags.settings.valgrind_flags.emplace_back("--cache-sim=yes");
  for (const Record& b : {other_subject, other_case, other_count, other_code, other_flags}) {
    const auto pooled = pool(a, b);
    ASSERT_FALSE(pooled);
    EXPECT_EQ(pooled.error().kind, ErrorKind::input);
    EXPECT_THAT(pooled.error().message, HasSubstr("cannot be put together"));
  }
}

}  // namespace
}  // namespace tally
