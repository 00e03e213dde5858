#include "plan/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace tally {
namespace {

using testing::ElementsAre;

std::vector<std::string> ids(int count) {
  std::vector<std::string> all;
  all.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) all.push_back("Sort/case " + std::to_string(i) + " [cpp]");
  return all;
}

std::vector<double> loads(const std::vector<std::string>& all, const std::vector<int>& parts, int count,
                          const LastTimes& last) {
  std::vector<double> sums(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < all.size(); ++i) sums.at(static_cast<std::size_t>(parts[i] - 1)) += last.at(all[i]);
  return sums;
}

TEST(Shard, IsWrittenIOfN) {
  EXPECT_EQ(parse_shard("2/4")->index, 2);
  for (const char* text : {"", "1", "0/4", "5/4", "1/0", "-1/4", "1/4x", "a/b", "1/", "1/1000001"})
    EXPECT_FALSE(parse_shard(text)) << text;
}

/// Kept as they are: parts of one plan may be measured by two builds of tally.
TEST(Shard, FollowsFromTheIdAlone) {
  const std::vector<std::string> some = {"a [cpp]", "b [cpp]", "c [cpp]", "d [cpp]"};
  const std::vector<int> parts = deal(some, 3);
  EXPECT_THAT(parts, ElementsAre(1, 3, 2, 3));
  std::vector<std::string> more = some;
  more.insert(more.begin(), "new [cpp]");
  const std::vector<int> again = deal(more, 3);
  EXPECT_EQ(std::vector(again.begin() + 1, again.end()), parts) << "a new case moves no other";
}

TEST(Shard, HashesSpreadEvenly) {
  const std::vector<int> parts = deal(ids(10'000), 10);
  for (int part = 1; part <= 10; ++part)
    EXPECT_NEAR(static_cast<double>(std::ranges::count(parts, part)), 1000, 120) << part;
}

TEST(Shard, TheLongestCaseIsDealtFirst) {
  const std::vector<std::string> four = {"a", "b", "c", "d"};
  EXPECT_THAT(deal_by_times(four, 2, {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 6}}), ElementsAre(2, 2, 2, 1));
  EXPECT_THAT(deal_by_times(four, 2, {}), ElementsAre(1, 2, 1, 2)) << "without times, even numbers in the order of ids";
}

TEST(Shard, ANewCaseIsTakenForTheMedian) {
  // b and c last 2 s and a is taken for that: d fills a part, the others share the second as if a took 2 s.
  EXPECT_EQ(deal_by_times(std::vector<std::string>{"a", "b", "c", "d"}, 2, {{"b", 2}, {"c", 2}, {"d", 6}}),
            deal_by_times(std::vector<std::string>{"a", "b", "c", "d"}, 2, {{"a", 2}, {"b", 2}, {"c", 2}, {"d", 6}}));
}

/// Whatever the times: no part has more than 4/3 of what is the least possible, and the order of cases is nothing.
TEST(Shard, PartsAreBalancedInAnyOrder) {
  std::mt19937 random(18);
  for (int round = 0; round < 200; ++round) {
    const int count = 1 + static_cast<int>(random() % 12);
    std::vector<std::string> all = ids(1 + static_cast<int>(random() % 60));
    LastTimes last;
    double sum = 0;
    double longest = 0;
    for (const std::string& id : all) {
      const double seconds = static_cast<double>(random() % 1000) / 100;
      last[id] = seconds;
      sum += seconds;
      longest = std::max(longest, seconds);
    }
    const std::vector<int> parts = deal_by_times(all, count, last);
    EXPECT_LE(std::ranges::max(loads(all, parts, count, last)), std::max(sum / count, longest) * 2);
    std::map<std::string, int> by_id;
    for (std::size_t i = 0; i < all.size(); ++i) by_id[all[i]] = parts[i];
    std::ranges::shuffle(all, random);
    const std::vector<int> shuffled = deal_by_times(all, count, last);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(shuffled[i], by_id[all[i]]);
  }
}

}  // namespace
}  // namespace tally
