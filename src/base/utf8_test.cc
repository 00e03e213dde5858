#include "base/utf8.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(Utf8, LettersOfEveryLength) {
  EXPECT_EQ(first_letter("ab").code, U'a');
  EXPECT_EQ(first_letter("é").code, U'é');
  EXPECT_EQ(first_letter("… more").bytes, 3U);
  EXPECT_EQ(first_letter("🙂").code, U'🙂');
}

TEST(Utf8, WhatIsNoneIsOneByte) {
  for (const std::string_view text : {"\x80", "\xc0\xaf", "\xe2\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_FALSE(first_letter(text).valid);
    EXPECT_EQ(first_letter(text).bytes, 1U);
  }
}

TEST(Utf8, ACutKeepsLettersWhole) {
  EXPECT_EQ(cut_to_bytes("aé", 3), "aé");
  EXPECT_EQ(cut_to_bytes("aé", 2), "a");
  EXPECT_EQ(cut_to_bytes("é", 1), "");
  EXPECT_EQ(cut_to_bytes("abc", 2), "ab");
}

}  // namespace
}  // namespace tally
