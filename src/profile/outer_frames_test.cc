#include "profile/outer_frames.h"

#include <gtest/gtest.h>

#include "profile/call_tree.h"

namespace tally {
namespace {

/// main > call > statement, which is on the stack when the region begins. Then the statement calls `call`, which calls
/// leaf.
Profile host_and_statement() {
  Profile profile;
  profile.events = {"Ir"};
  profile.strings = {"", "main", "call", "statement", "leaf"};
  for (std::uint32_t name = 1; name <= 4; ++name) {
    profile.functions.push_back({0, 0, name});
    profile.rows.push_back({name - 1, 0});
  }
  profile.row_costs = {0, 10, 60, 30};
  profile.calls = {{0, 1, 0}, {1, 2, 0}, {2, 1, 1}, {1, 3, 1}};
  profile.call_costs = {100, 100, 40, 30};
  return profile;
}

TEST(OuterFrames, LeaveTheStatementAsTheOnlyRoot) {
  const auto [left, root] = without_outer_frames(host_and_statement(), 0);
  ASSERT_TRUE(root);
  EXPECT_EQ(left.name_of(left.functions[*root]), "statement");
  EXPECT_EQ(left.call_costs, (std::vector<std::uint64_t>{0, 0, 40, 30}));
  const CallTree tree = call_tree(left, 0, {});
  ASSERT_EQ(tree.nodes.size(), 4U);
  EXPECT_EQ(left.name_of(left.functions[tree.nodes[1].function]), "statement");
  EXPECT_DOUBLE_EQ(tree.nodes[1].total, 100);
  EXPECT_DOUBLE_EQ(tree.nodes[2].total, 40);
  EXPECT_EQ(left.name_of(left.functions[tree.nodes[3].function]), "leaf");
}

TEST(OuterFrames, AStatementThatIsOneCallKeepsIt) {
  Profile profile = host_and_statement();
  profile.row_costs = {0, 0, 1, 99};
  profile.calls = {{0, 1, 0}, {1, 2, 0}, {2, 3, 1}};
  profile.call_costs = {100, 100, 99};
  const auto [left, root] = without_outer_frames(profile, 0);
  ASSERT_TRUE(root);
  EXPECT_EQ(left.name_of(left.functions[*root]), "statement");
  EXPECT_EQ(left.call_costs, (std::vector<std::uint64_t>{0, 0, 99}));
}

TEST(OuterFrames, AProgramThatWorksItselfKeepsItsFrames) {
  Profile profile = host_and_statement();
  profile.row_costs = {50, 10, 20, 20};
  profile.call_costs = {50, 30, 10, 20};
  const Statement statement = without_outer_frames(profile, 0);
  EXPECT_EQ(statement.profile, profile);
  EXPECT_FALSE(statement.root);
}

TEST(OuterFrames, NothingIsLeftOfNothing) {
  EXPECT_EQ(without_outer_frames({}, 0).profile, Profile{});
  Profile idle = host_and_statement();
  idle.row_costs = {0, 0, 0, 0};
  idle.call_costs = {0, 0, 0, 0};
  EXPECT_EQ(without_outer_frames(idle, 0).profile, idle);
}

}  // namespace
}  // namespace tally
