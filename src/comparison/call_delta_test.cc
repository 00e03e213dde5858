#include "comparison/call_delta.h"

#include <gtest/gtest.h>

#include "profile/callgrind.h"

namespace tally {
namespace {

/// main is on the stack when the region begins; the statement calls f twice, and f calls g: 100 iterations.
StoredProfile of_costs(int f, int g) {
  const int whole = 1000 + 200 + 2 * f + g;
  const std::string text = "events: Ir\nob=/lib/host\nfn=main\n1 0\ncfn=statement\ncalls=0 1\n1 " +
                           std::to_string(whole) + "\nfn=statement\n1 1200\ncfn=f\ncalls=200 1\n1 " +
                           std::to_string(2 * f + g) + "\nfn=f\n1 " + std::to_string(2 * f) +
                           "\ncfn=g\ncalls=100 1\n1 " + std::to_string(g) + "\nfn=g\n1 " + std::to_string(g) +
                           "\ntotals: " + std::to_string(whole) + "\n";
  return {*parse_callgrind(text), 100};
}

TEST(CallDelta, IsRootedAtTheStatementWithoutItsLoop) {
  const StoredProfile before = of_costs(500, 400);
  const StoredProfile after = of_costs(500, 3400);
  const CallTreeDelta tree = call_tree_delta({&before, 14}, {&after, 44}, 100);
  ASSERT_EQ(tree.calls.size(), 3U);
  EXPECT_EQ(tree.calls[0].function.name, "statement");
  EXPECT_DOUBLE_EQ(tree.calls[0].before, 14) << "what its record says that it costs";
  EXPECT_DOUBLE_EQ(tree.calls[0].after, 44);
  EXPECT_EQ(tree.calls[1].function.name, "f");
  EXPECT_DOUBLE_EQ(tree.calls[1].after, 44);
  EXPECT_EQ(tree.calls[2].function.name, "g");
  EXPECT_EQ(tree.calls[2].parent, 1U);
  EXPECT_DOUBLE_EQ(tree.calls[2].before, 4);
  EXPECT_FALSE(tree.approximate);
  const std::vector<CallDelta> path = path_of_change(tree);
  ASSERT_EQ(path.size(), 3U);
  EXPECT_EQ(path[2].function.name, "g");
}

TEST(CallDelta, APathEndsWhereNoCallHasMostOfTheChange) {
  const StoredProfile before = of_costs(500, 400);
  const StoredProfile after = of_costs(1500, 1400);
  const std::vector<CallDelta> path = path_of_change(call_tree_delta({&before, 14}, {&after, 44}, 100));
  ASSERT_EQ(path.size(), 2U);
  EXPECT_EQ(path[1].function.name, "f");
  EXPECT_TRUE(path_of_change(call_tree_delta({&before, 14}, {&before, 14}, 100)).empty());
}

TEST(CallDelta, OneSideAloneHasNothingBefore) {
  const StoredProfile after = of_costs(500, 400);
  const CallTreeDelta tree = call_tree_delta({}, {&after, 14}, 2);
  ASSERT_EQ(tree.calls.size(), 2U) << "the costliest";
  EXPECT_DOUBLE_EQ(tree.calls[1].before, 0);
}

}  // namespace
}  // namespace tally
