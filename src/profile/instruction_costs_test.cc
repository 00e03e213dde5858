#include "profile/instruction_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kOutput =
    "version: 1\npositions: instr line\nevents: Ir\n\n"
    "ob=(1) /a/statement.so\nfl=(1) s.cc\nfn=(1) work\n0x10 5 7\nfi=(2) v.h\n0x14 9 3\n"
    "cob=(2) /lib/libc.so.6\ncfi=(3) ???\ncfn=(2) malloc\ncalls=2 0x900 0\n0x18 9 40\n0x1c 9 1\n"
    "ob=(2)\nfl=(3)\nfn=(2)\n0x900 0 30\n0x904 0 10\n"
    "ob=(1)\nfl=(1)\nfn=(3) other\n0x20 6 0\ncfn=(1)\ncalls=1 0x10 0\n0x24 6 51\n"
    "totals: 51\n";

TEST(InstructionCosts, ByAddressWithTheCallsBetweenFunctions) {
  const auto read = parse_instruction_costs(kOutput);
  ASSERT_TRUE(read) << describe(read.error());
  EXPECT_EQ(read->total, 51U);
  using Cost = InstructionCosts::Cost;
  // The first function is none.
  EXPECT_THAT(read->costs, ElementsAre(Cost{1, 0x10, 7}, Cost{1, 0x14, 3}, Cost{1, 0x1c, 1}, Cost{2, 0x900, 30},
                                       Cost{2, 0x904, 10}));
  EXPECT_EQ(read->functions[1].object, "/a/statement.so");
  EXPECT_EQ(read->functions[2].object, "/lib/libc.so.6");
  EXPECT_EQ(read->functions[2].name, "malloc");
  using Call = InstructionCosts::Call;
  EXPECT_THAT(read->calls, ElementsAre(Call{1, 0x18, 2}, Call{3, 0x24, 1}));
}

TEST(InstructionCosts, WhatIsNotWholeIsRefused) {
  const std::string text = kOutput;
  const auto cut = parse_instruction_costs(text.substr(0, text.find("ob=(2)\nfl")));
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().message, HasSubstr("do not add up"));
  const auto lines = parse_instruction_costs("positions: line\nevents: Ir\nfn=a\n1 5\ntotals: 5\n");
  ASSERT_FALSE(lines);
  EXPECT_THAT(lines.error().message, HasSubstr("no addresses"));
}

}  // namespace
}  // namespace tally
