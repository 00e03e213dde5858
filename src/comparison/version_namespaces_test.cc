#include "comparison/version_namespaces.h"

#include <gtest/gtest.h>

#include "comparison/call_delta.h"
#include "comparison/function_delta.h"
#include "profile/callgrind.h"

namespace tally {
namespace {

TEST(VersionNamespaces, AreKnownByTheirForm) {
  EXPECT_EQ(without_versions("fmt::v10::format(fmt::v10::args)"), "fmt::format(fmt::args)");
  EXPECT_EQ(without_versions("absl::lts_20230802::StrCat"), "absl::StrCat");
  EXPECT_EQ(without_versions("nlohmann::json_abi_v3_11_2::detail::f"), "nlohmann::detail::f");
  EXPECT_EQ(without_versions("v2::f"), "f");
  for (const char* const other : {"lib::v::f", "lib::vec2::f", "lib::f_v2", "v2", "lib::v2_::f", "std::__cxx11::f",
                                  "lib::lts::f", "lib::_1::f", "???", ""})
    EXPECT_EQ(without_versions(other), other);
}

/// A statement of 100 instructions calls `same` for 300 and `changed` for `cost`.
StoredProfile of_calls(const std::string& same, const std::string& changed, int cost) {
  const std::string now = std::to_string(cost);
  const std::string all = std::to_string(400 + cost);
  return {
      *parse_callgrind("events: Ir\nob=/bin/bench\nfn=main\n1 0\ncfn=statement\ncalls=0 1\n1 " + all +
                       "\nfn=statement\n1 100\ncfn=" + same + "\ncalls=1 1\n1 300\ncfn=" + changed + "\ncalls=1 1\n1 " +
                       now + "\nfn=" + same + "\n1 300\nfn=" + changed + "\n1 " + now + "\ntotals: " + all + "\n"),
      1};
}

TEST(VersionNamespaces, OnlyWhatChangedIsADelta) {
  const StoredProfile before = of_calls("lib::v1::same(int)", "lib::v1::changed(int)", 500);
  const StoredProfile after = of_calls("lib::v2::same(int)", "lib::v2::changed(int)", 530);
  const std::vector<FunctionDelta> deltas = function_deltas(before, after);
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_EQ(deltas[0].name, "lib::v2::changed(int)");
  EXPECT_DOUBLE_EQ(deltas[0].delta(), 30);
  const CallTreeDelta tree = call_tree_delta({&before, 900}, {&after, 930}, 100);
  ASSERT_EQ(tree.calls.size(), 3U);
  EXPECT_DOUBLE_EQ(tree.calls[1].delta() + tree.calls[2].delta(), 30);
}

TEST(VersionNamespaces, TwoOfOneNameAreLeftAsTheyAre) {
  const StoredProfile before = of_calls("api::v1::f", "api::v2::f", 500);
  const StoredProfile after = of_calls("api::v1::f", "api::v3::f", 500);
  EXPECT_EQ(function_deltas(before, after).size(), 2U) << "api::v2::f is gone, api::v3::f is new";
}

}  // namespace
}  // namespace tally
