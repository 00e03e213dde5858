#include "engine/file_sharing.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

using Verdict = FileSharing::Verdict;

TEST(FileSharing, WhatRanAloneStandsWhateverItChanges) {
  FileSharing sharing;
  sharing.begin(1, "programs");
  EXPECT_TRUE(sharing.changes(1)) << "the first of its group";
  EXPECT_FALSE(sharing.changes(1));
  EXPECT_FALSE(sharing.may_begin("programs"));
  EXPECT_TRUE(sharing.may_begin("torch"));
  sharing.end(1);
  EXPECT_EQ(sharing.verdict(1), Verdict::stands);
  EXPECT_TRUE(sharing.may_begin("programs"));
}

TEST(FileSharing, WhatOverlapsWaitsForTheOthersEnd) {
  FileSharing sharing;
  sharing.begin(1, "programs");
  sharing.begin(2, "programs");
  sharing.end(1);
  sharing.begin(3, "programs");
  EXPECT_EQ(sharing.verdict(1), Verdict::not_known_yet);
  sharing.end(2);
  EXPECT_EQ(sharing.verdict(1), Verdict::stands) << "the third has not met it";
  EXPECT_EQ(sharing.verdict(2), Verdict::not_known_yet);
  sharing.end(3);
  EXPECT_EQ(sharing.verdict(2), Verdict::stands);
}

TEST(FileSharing, AChangeSpoilsItselfAndAllThatItHasMet) {
  FileSharing sharing;
  sharing.begin(1, "programs");
  sharing.begin(2, "programs");
  sharing.begin(9, "torch");
  sharing.end(1);
  sharing.changes(2);
  sharing.end(2);
  sharing.end(9);
  EXPECT_EQ(sharing.verdict(1), Verdict::measure_again) << "it had ended before";
  EXPECT_EQ(sharing.verdict(2), Verdict::measure_again);
  EXPECT_EQ(sharing.verdict(9), Verdict::stands) << "of another group";
}

TEST(FileSharing, WhatHasExecutedIsWaitedForNoMore) {
  FileSharing sharing;
  sharing.begin(1, "programs");
  sharing.begin(2, "programs");
  sharing.end(1);
  sharing.executed(2);
  EXPECT_EQ(sharing.verdict(1), Verdict::stands);
}

TEST(FileSharing, WhatIsForgottenIsWaitedForNoMore) {
  FileSharing sharing;
  sharing.begin(1, "programs");
  sharing.begin(2, "programs");
  sharing.end(1);
  sharing.forget(2);
  EXPECT_EQ(sharing.verdict(1), Verdict::stands);
}

}  // namespace
}  // namespace tally
