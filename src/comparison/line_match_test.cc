#include "comparison/line_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using testing::ElementsAre;

TEST(LineMatch, FollowsLinesThatMoveDownAndUp) {
  EXPECT_THAT(match_lines("a\nb\nc", "new\na\nb\nc"), ElementsAre(0, 2, 3, 4));
  EXPECT_THAT(match_lines("new\na\nb\nc", "a\nb\nc"), ElementsAre(0, 0, 1, 2, 3));
  EXPECT_THAT(match_lines("a\nb\nc", "a\n  b\nx\nc"), ElementsAre(0, 1, 2, 4));
}

TEST(LineMatch, ALineThatIsWrittenOtherwiseIsStillThatLine) {
  EXPECT_THAT(match_lines("for\nx = row[j];\nend", "for\nx = row.at(j);\nend"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(match_lines("f\nold\ng", "f\nnew\nnewer\ng"), ElementsAre(0, 1, 0, 4)) << "two lines are not that one";
}

TEST(LineMatch, LinesThatRepeatAreMatchedByThoseBesideThem) {
  EXPECT_THAT(match_lines("f {\n}\ng {\n}", "f {\n}\nh {\n}\ng {\n}"), ElementsAre(0, 1, 2, 5, 6));
  EXPECT_THAT(match_lines("}\n}\n}", "}\n}"), ElementsAre(0, 1, 2, 0));
}

TEST(LineMatch, WhatChangesPlacesIsFollowedOnOneSideOnly) {
  EXPECT_THAT(match_lines("a\nb\nc\nd", "c\nd\na\nb"), ElementsAre(0, 0, 0, 1, 2));
}

TEST(LineMatch, TextsWithoutAnythingInCommon) {
  EXPECT_THAT(match_lines("", "a\nb"), ElementsAre(0, 0));
  EXPECT_THAT(match_lines("a\nb\nc", "x"), ElementsAre(0, 0, 0, 0));
}

}  // namespace
}  // namespace tally
