#include "base/digest.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(Digest, DistinguishesSplits) {
  EXPECT_NE(Digest().add("ab").add("c").hex(), Digest().add("a").add("bc").hex());
  EXPECT_EQ(Digest().add("ab").add("c").hex(), Digest().add("ab").add("c").hex());
  EXPECT_NE(Digest().add("a").hex(), Digest().add("a").add("").hex());
}

// Records and caches hold digests: these may never change.
TEST(Digest, IsTheSameForEver) {
  EXPECT_EQ(digest("abc"), "06b05ab6733a618578af5f94892f3950");
  EXPECT_EQ(Digest().add("ab").add("c").hex(), "f2eda2708bcfd51cc05c0ee4c9f60440");
}

TEST(Digest, IsKnownByItsLook) {
  EXPECT_TRUE(is_digest(digest("abc")));
  EXPECT_FALSE(is_digest(digest("abc") + "0"));
  EXPECT_FALSE(is_digest("06b05ab6733a618578af5f94892f395g"));
  EXPECT_FALSE(is_digest(""));
}

TEST(Digest, BlocksMakeOneText) { EXPECT_EQ(Digest().add_raw("ab").add_raw("c").hex(), Digest().add_raw("abc").hex()); }

}  // namespace
}  // namespace tally
