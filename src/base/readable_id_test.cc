#include "base/readable_id.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(ReadableId, IsWhatWasWritten) {
  EXPECT_EQ(readable_id("%27, %27.join(x) [python]"), "', '.join(x) [python]");
  EXPECT_EQ(readable_id("a%2Fb/100%25 [cpp n=a%20b]"), "a/b/100% [cpp n=a b]");
  EXPECT_EQ(readable_id("%2525 [python]"), "%25 [python]");
}

TEST(ReadableId, WhatHasNoShapeStays) {
  EXPECT_EQ(readable_id("a [python s=%0A%7F%ff]"), "a [python s=%0A%7F%ff]");
  EXPECT_EQ(readable_id("%"), "%");
  EXPECT_EQ(readable_id("%2"), "%2");
  EXPECT_EQ(readable_id("%zz 5%-1"), "%zz 5%-1");
}

}  // namespace
}  // namespace tally
