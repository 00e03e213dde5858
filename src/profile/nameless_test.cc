#include "profile/nameless.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/callgrind.h"
#include "profile/function_counts.h"

namespace tally {
namespace {

using testing::ElementsAre;

/// main calls a stripped function three times, whose two blocks go to each other; the second calls another.
constexpr const char* kStripped =
    "events: Ir\n"
    "ob=/opt/app\nfl=main.c\nfn=main\n1 10\ncob=/opt/lib.so\ncfi=???\ncfn=0x0000000000001000\ncalls=3 0\n1 600\n"
    "ob=/opt/lib.so\nfl=???\nfn=0x0000000000001000\n0 100\ncfn=0x0000000000001040\ncalls=30 0\n0 500\n"
    "fn=0x0000000000001040\n0 300\ncfn=0x0000000000002000\ncalls=6 0\n0 200\ncfn=0x0000000000001000\ncalls=2 0\n0 50\n"
    "fn=0x0000000000002000\n0 200\n"
    "totals: 610\n";

CodeName name_of(const std::string& object, std::uint64_t address) {
  if (object != "/opt/lib.so") return {};
  if (address >= 0x1000 && address < 0x1100) return {"work", address == 0x1000};
  return {};
}

double own(const Profile& profile, const std::string& name) {
  return function_counts(profile, 0, Inclusion::exclusive).grouped(Grouping::function).of({"/opt/lib.so", "", name});
}

TEST(Nameless, AnAddressStandsForAName) {
  EXPECT_EQ(nameless_address("0x00000000000a58e0"), 0xa58e0U);
  EXPECT_EQ(nameless_address("0x10'2"), 0x10U);
  EXPECT_EQ(nameless_address("main"), std::nullopt);
  EXPECT_EQ(nameless_address("0xfoo"), std::nullopt);
}

TEST(Nameless, BlocksOfOneFunctionComeTogether) {
  const auto profile = parse_callgrind(kStripped);
  ASSERT_TRUE(profile);
  const Profile named = with_names(*profile, name_of);
  EXPECT_EQ(own(named, "work"), 400);
  EXPECT_EQ(own(named, "0x0000000000002000"), 200);
  EXPECT_EQ(named.totals, profile->totals);
  const FunctionCounts calls = function_calls(named).grouped(Grouping::function);
  // Three from outside and two from within; the thirty are jumps.
  EXPECT_EQ(calls.of({"/opt/lib.so", "", "work"}), 5);
  EXPECT_EQ(calls.of({"/opt/lib.so", "", "0x0000000000002000"}), 6);
  const FunctionCounts inclusive = function_counts(named, 0, Inclusion::inclusive).grouped(Grouping::function);
  EXPECT_EQ(inclusive.of({"/opt/lib.so", "", "work"}), 600);
}

TEST(Nameless, WithoutNamesNothingChanges) {
  const auto profile = parse_callgrind(kStripped);
  ASSERT_TRUE(profile);
  EXPECT_EQ(with_names(*profile, [](const std::string&, std::uint64_t) { return CodeName{}; }), *profile);
}

TEST(Nameless, ObjectsByTheirCost) {
  const auto profile = parse_callgrind(kStripped);
  ASSERT_TRUE(profile);
  EXPECT_THAT(nameless_objects(*profile, 0), ElementsAre(NamelessObject{"/opt/lib.so", 600}));
  EXPECT_THAT(nameless_objects(with_names(*profile, name_of), 0), ElementsAre(NamelessObject{"/opt/lib.so", 200}));
}

}  // namespace
}  // namespace tally
