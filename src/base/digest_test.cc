#include "base/digest.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(Digest, TellsSplitsApart) {
  EXPECT_NE(Digest().add("ab").add("c").hex(), Digest().add("a").add("bc").hex());
  EXPECT_EQ(Digest().add("ab").add("c").hex(), Digest().add("ab").add("c").hex());
  EXPECT_EQ(digest("abc").size(), 32U);
}

TEST(Digest, BlocksMakeOneText) { EXPECT_EQ(Digest().add_raw("ab").add_raw("c").hex(), Digest().add_raw("abc").hex()); }

}  // namespace
}  // namespace tally
