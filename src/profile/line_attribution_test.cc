#include "profile/line_attribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/store.h"

namespace tally {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr const char* kApp = "/home/me/app.so";

/// Addresses in the hundreds are lines of the user's, in the thousands those of a header; others have none.
std::optional<CodeLine> line_of(const std::string& object, std::uint64_t address) {
  if (object != kApp || address < 100) return std::nullopt;
  if (address < 1000) return CodeLine{{.file = "app.cc", .line = address / 100}, true};
  return CodeLine{{.file = "algo.h", .line = address / 1000}, false};
}

InstructionCosts costs() {
  InstructionCosts costs;
  costs.functions = {{kApp, "main"}, {kApp, "std::sort"}, {kApp, "std::swap"}, {"/lib/libc.so.6", "malloc"}};
  costs.costs = {{0, 100, 5},   {0, 120, 6},  {0, 200, 7}, {1, 1000, 50},
                 {1, 2000, 60}, {2, 3000, 8}, {3, 10, 9},  {0, 5, 1}};
  costs.total = 146;
  return costs;
}

TEST(LineAttribution, CodeOfALibraryCountsToTheOnlyLineThatCallsIt) {
  InstructionCosts one = costs();
  // The sort calls itself and the swap; nothing else does.
  one.calls = {{0, 120, 1}, {1, 1000, 1}, {1, 2000, 2}, {0, 200, 3}};
  const LineCosts lines = attributed(one, line_of);
  EXPECT_THAT(lines.lines,
              ElementsAre(Pair(SourceLine{"app.cc", 1}, 5 + 6 + 50 + 60 + 8), Pair(SourceLine{"app.cc", 2}, 7)));
  EXPECT_THAT(lines.elsewhere, ElementsAre(Pair(kApp, 1), Pair("/lib/libc.so.6", 9)));
  EXPECT_EQ(lines.total(), one.total);
}

TEST(LineAttribution, WithTwoCallersItCountsToItsOwnLine) {
  InstructionCosts one = costs();
  one.calls = {{0, 120, 1}, {1, 2000, 2}, {0, 200, 2}};
  const LineCosts lines = attributed(one, line_of);
  EXPECT_THAT(lines.lines, ElementsAre(Pair(SourceLine{"algo.h", 3}, 8), Pair(SourceLine{"app.cc", 1}, 5 + 6 + 50 + 60),
                                       Pair(SourceLine{"app.cc", 2}, 7)));
  EXPECT_EQ(lines.total(), one.total);
}

TEST(LineAttribution, IsKeptInAProfile) {
  LineCosts lines{.lines = {{{"s.toml", 4}, 70}, {{"s.toml", 5}, 20}}, .elsewhere = {{"/lib/libc.so.6", 10}}};
  lines.sources["s.toml"] = "0123456789abcdef0123456789abcdef";
  StoredProfile stored{.profile = {}, .iterations = 10, .lines = lines};
  const auto again = profile_from_json(to_json(stored), "p.json");
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(again->lines, lines);
  std::string damaged = to_json(stored);
  damaged.replace(damaged.find("\"total\":100"), 11, "\"total\":101");
  const auto refused = profile_from_json(damaged, "p.json");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "lines: do not add up to their total");
  stored.lines.reset();
  EXPECT_EQ(profile_from_json(to_json(stored), "p.json")->lines, std::nullopt);
}

}  // namespace
}  // namespace tally
