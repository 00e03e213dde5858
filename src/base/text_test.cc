#include "base/text.h"

#include <gtest/gtest.h>

#include <array>

namespace tally {
namespace {

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a||b", '|'), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", '|'), (std::vector<std::string_view>{""}));
}

TEST(Text, NearestNamesATypoAndNothingElse) {
  constexpr std::array<std::string_view, 3> keys = {"setup", "signature", "threads"};
  EXPECT_EQ(nearest("stup", keys), "setup");
  EXPECT_EQ(nearest("thread", keys), "threads");
  EXPECT_EQ(nearest("zzzzz", keys), "");
  EXPECT_EQ(nearest("rnu", std::array<std::string_view, 2>{"run", "init"}), "run");
}

TEST(Text, GlobMatchesWholeTexts) {
  EXPECT_TRUE(glob_match("*add*", "Pointwise/add [cpp]"));
  EXPECT_TRUE(glob_match("a?c", "abc"));
  EXPECT_FALSE(glob_match("a?c", "ac"));
  EXPECT_TRUE(glob_match("x[0-2]y", "x1y"));
  EXPECT_FALSE(glob_match("x[!0-2]y", "x1y"));
  EXPECT_TRUE(glob_match("[cpp", "[cpp"));
  EXPECT_TRUE(glob_match("*a*a*a*", "aaa"));
  EXPECT_FALSE(glob_match("", "a"));
}

TEST(Text, ShellQuoteSurvivesQuotes) {
  EXPECT_EQ(shell_quote("plain/path.toml"), "plain/path.toml");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote(""), "''");
}

}  // namespace
}  // namespace tally
