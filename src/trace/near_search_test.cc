#include "trace/near_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tally::trace {
namespace {

TEST(NearSearch, FindsWhatABinarySearchFindsFromAnywhere) {
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 40; ++size) {
    std::vector<int> values(size);
    for (int& value : values) value = static_cast<int>(random() % 20);
    std::ranges::sort(values);
    for (int wanted = -1; wanted <= 20; ++wanted) {
      const auto before = [wanted](int value) { return value < wanted; };
      const auto expected =
          static_cast<std::size_t>(std::partition_point(values.begin(), values.end(), before) - values.begin());
      for (std::size_t hint = 0; hint <= size + 1; ++hint)
        EXPECT_EQ(partition_near(std::span<const int>(values), hint, before), expected);
    }
  }
}

TEST(NearSearch, LooksOnlyNearby) {
  const std::vector<int> values(1'000'000, 0);
  int looked = 0;
  const auto never = [&](int) { return ++looked, false; };
  EXPECT_EQ(partition_near(std::span<const int>(values), 0, never), 0U);
  EXPECT_LE(looked, 1);
}

}  // namespace
}  // namespace tally::trace
