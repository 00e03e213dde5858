#include "comparison/same_counts.h"

#include <gmock/gmock.h>

#include "record/example_record.h"

namespace tally {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Same : public ::testing::Test {
 protected:
  std::string text() {
    const Comparison comparison = compare(before, after, {});
    const SameCounts same = same_counts_of(comparison);
    judged = same.judged();
    moved = same.moved.size();
    differences = same.differences;
    return to_text(same);
  }
  CaseRecord& counted() {
    return *std::ranges::find_if(after.cases, [](const CaseRecord& one) { return one.counts.has_value(); });
  }

  Record before = example_record();
  Record after = example_record();
  std::size_t judged = 0;
  std::size_t moved = 0;
  std::vector<std::string> differences;
};

TEST_F(Same, ARecordReadsWhatItReads) {
  EXPECT_THAT(text(), StartsWith("1 of 1 equal\n"));
  EXPECT_EQ(judged, 1U);
  EXPECT_EQ(moved, 0U);
}

TEST_F(Same, OneInstructionIsADifference) {
  for (std::uint64_t& replicate : counted().counts->replicates) ++replicate;
  EXPECT_THAT(text(), HasSubstr("  " + counted().id + ": "));
  EXPECT_EQ(moved, 1U);
}

TEST_F(Same, OneReplicateMoreIsNone) {
  Counts& counts = *counted().counts;
  counts.replicates.push_back(counts.replicates.front());
  text();
  EXPECT_EQ(moved, 0U);
}

TEST_F(Same, WhatDiffersAroundACaseThatMovedIsNamed) {
  for (std::uint64_t& replicate : counted().counts->replicates) ++replicate;
  for (auto& [name, environment] : after.environments) environment.facts["glibc"] = "2.99";
  text();
  EXPECT_THAT(differences, ElementsAre(HasSubstr("2.99")));
}

TEST_F(Same, OtherExecutionsSayNothing) {
  ++counted().counts->iterations;
  const std::string said = text();
  EXPECT_THAT(said, HasSubstr("it was executed 100 and 101 times\n"));
  EXPECT_EQ(judged, 0U);
  EXPECT_THAT(said, Not(HasSubstr("→")));
}

}  // namespace
}  // namespace tally
