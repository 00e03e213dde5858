#include "profile/subtract.h"

#include <gtest/gtest.h>

#include "profile/callgrind.h"

namespace tally {
namespace {

std::string dump(int main_cost, int work_cost, int calls, int total) {
  return "version: 1\nevents: Ir\npositions: line\n\nob=/p\nfl=m.cc\nfn=main\n1 " + std::to_string(main_cost) +
         "\ncfn=work\ncalls=" + std::to_string(calls) + " 2\n1 " + std::to_string(work_cost) + "\n\nfn=work\n2 " +
         std::to_string(work_cost) + "\n\ntotals: " + std::to_string(total) + "\n";
}

TEST(SubtractTest, ALongerCallsProfileLessAShorterOnes) {
  auto longer = parse_callgrind(dump(150, 1100, 110, 1250));
  const auto shorter = parse_callgrind(dump(50, 100, 10, 150));
  const auto both = parse_callgrind(dump(100, 1000, 100, 1100));
  ASSERT_TRUE(longer && shorter && both);
  subtract(*longer, *shorter);
  EXPECT_EQ(longer->totals, both->totals);
  EXPECT_EQ(longer->row_costs, both->row_costs);
  EXPECT_EQ(longer->call_costs, both->call_costs);
  ASSERT_EQ(longer->calls.size(), 1U);
  EXPECT_EQ(longer->calls[0].count, 100U);
}

TEST(SubtractTest, NothingFallsBelowZeroAndWhatIsUnknownIsLeftAlone) {
  auto shorter = parse_callgrind(dump(50, 100, 10, 150));
  const auto longer = parse_callgrind(dump(150, 1100, 110, 1250));
  ASSERT_TRUE(longer && shorter);
  Profile other = *longer;
  for (std::string& text : other.strings) text += text == "work" ? "2" : "";
  subtract(*shorter, other);
  EXPECT_EQ(shorter->totals, std::vector<std::uint64_t>({0}));
  EXPECT_EQ(shorter->row_costs, std::vector<std::uint64_t>({0, 100}));
}

TEST(SubtractTest, AnInstructionThatIsThereTwiceIsSubtractedOnce) {
  const std::vector<InstructionCosts::Function> functions = {{"/p", "work"}, {"/p", "main"}};
  InstructionCosts from{
      .functions = functions, .costs = {{0, 16, 5}, {0, 16, 7}, {0, 20, 3}}, .calls = {}, .total = 15};
  const InstructionCosts off{
      .functions = {functions[1], functions[0]}, .costs = {{1, 16, 6}, {0, 20, 3}}, .calls = {}, .total = 9};
  subtract(from, off);
  EXPECT_EQ(from.total, 9U);
  EXPECT_EQ(from.costs, (std::vector<InstructionCosts::Cost>{{0, 16, 0}, {0, 16, 6}, {0, 20, 3}}));
}

}  // namespace
}  // namespace tally
