#include "record/reuse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/example_record.h"

namespace tally {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

CaseRecord counted() {
  CaseRecord one = example_case("a [cpp]");
  one.flags.clear();
  one.inputs = CountInputs{{"environment", "e"}, {"library", "l"}};
  return one;
}

TEST(Reuse, WhereAllThatACountFollowsFromIsTheSameItStands) {
  EXPECT_EQ(why_not_reused(counted(), counted(), *counted().inputs), "");
}

TEST(Reuse, AnythingElseIsNamed) {
  const CaseRecord earlier = counted();
  CaseRecord edited = counted();
  edited.definition.digest = "d2";
  EXPECT_EQ(why_not_reused(earlier, edited, *earlier.inputs), "its definition is another");
  EXPECT_EQ(why_not_reused(earlier, earlier, {{"environment", "other"}, {"library", "l"}}),
            "its environment is another");
  EXPECT_EQ(why_not_reused(earlier, earlier, {{"environment", "e"}}), "its library is another");
  EXPECT_EQ(why_not_reused(earlier, earlier, {{"environment", "e"}, {"imports", "i"}, {"library", "l"}}),
            "its imports is new");
}

TEST(Reuse, WhatWasNoExactCountIsNever) {
  EXPECT_EQ(why_never_reused(counted()), "");
  CaseRecord one = counted();
  one.status = CaseStatus::failed;
  EXPECT_EQ(why_never_reused(one), "it was not counted well");
  one = counted();
  one.counts.reset();
  EXPECT_EQ(why_never_reused(one), "it has no counts");
  one = counted();
  one.language = "command";
  EXPECT_EQ(why_never_reused(one), "it is a command") << "an older tally noted what it follows from in part";
  one = counted();
  one.inputs.reset();
  EXPECT_EQ(why_never_reused(one), "the record does not say what they follow from");
  for (const auto& [flag, why] : {std::pair{"counts_vary", "its count varies"},
                                  {"device", "it works on a device"},
                                  {"reuse_refuted", "it did not repeat"}}) {
    one = counted();
    one.flags = {flag};
    EXPECT_EQ(why_never_reused(one), why);
  }
}

TEST(Reuse, OneInTwentyIsCountedAgainAndOneAtTheLeast) {
  std::vector<std::string> names;
  names.reserve(101);
  for (int i = 0; i < 101; ++i) names.push_back("case " + std::to_string(i));
  const std::vector<std::string_view> ids(names.begin(), names.end());
  EXPECT_THAT(proofs_among(ids, "run"), SizeIs(6));
  EXPECT_THAT(proofs_among(std::span(ids).first(40), "run"), SizeIs(2));
  EXPECT_THAT(proofs_among(std::span(ids).first(1), "run"), SizeIs(1));
  EXPECT_THAT(proofs_among({}, "run"), IsEmpty());
  EXPECT_EQ(proofs_among(ids, "run"), proofs_among(ids, "run"));
  EXPECT_NE(proofs_among(ids, "run"), proofs_among(ids, "another run")) << "in time each has its turn";
}

TEST(Reuse, ACountIsTheSameToTheInstruction) {
  const Counts one = *counted().counts;
  Counts other = one;
  EXPECT_TRUE(is_same_count(one, other));
  other.per_iteration += 0.01;
  EXPECT_FALSE(is_same_count(one, other));
  other = one;
  other.iterations = 50;
  EXPECT_FALSE(is_same_count(one, other));
}

TEST(Reuse, WhatIsTakenOverSaysWhoCountedIt) {
  Record run = example_record();
  run.source->dirty = false;
  CaseRecord now = example_case("a [cpp]");
  now.counts.reset();
  now.warnings.clear();
  CaseRecord earlier = counted();
  earlier.flags = {"optimised_away", "bimodal", "string_repetitions"};
  earlier.warnings = {"said of its count"};
  take_over_counts(now, earlier, run);
  EXPECT_EQ(now.counts, earlier.counts);
  EXPECT_EQ(now.inputs, earlier.inputs);
  EXPECT_EQ(now.reused, run.source->commit);
  EXPECT_THAT(now.flags, ::testing::ElementsAre("optimised_away", "string_repetitions"))
      << "the others are of its times";
  EXPECT_EQ(now.warnings, earlier.warnings);
  // Taken over twice, it still is the first one's.
  CaseRecord later = example_case("a [cpp]");
  take_over_counts(later, now, example_record());
  EXPECT_EQ(later.reused, run.source->commit);
  // Of files that were no commit's, the moment.
  run.source->dirty = true;
  take_over_counts(later, earlier, run);
  EXPECT_EQ(later.reused, run.started);
}

}  // namespace
}  // namespace tally
