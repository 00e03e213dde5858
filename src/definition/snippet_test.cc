#include "definition/snippet.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(Snippet, DedentTakesTheCommonMarginAndMovesThePlace) {
  const Snippet s = dedent(Snippet{"\n\n    for i in x:\n      y\n\n    z  \n  ", {"f", 10, 1}});
  EXPECT_EQ(s.text, "for i in x:\n  y\n\nz");
  EXPECT_EQ(describe(s.at), "f:12:5");
  EXPECT_EQ(s.indent, 4);
}

TEST(Snippet, DedentTwiceChangesNothing) {
  const Snippet once = dedent(Snippet{"  a\n    b\r\n", {"f", 1, 8}});
  const Snippet twice = dedent(once);
  EXPECT_EQ(once.text, "a\n  b");
  EXPECT_EQ(once.text, twice.text);
  EXPECT_EQ(describe(once.at), describe(twice.at));
  EXPECT_EQ(once.indent, twice.indent);
}

TEST(Snippet, BlankLinesKeepWhatTheMarginLeaves) {
  // Python may have them in a string.
  EXPECT_EQ(dedent(Snippet{"s = '''a\n   \nb\n\t\n'''\n"}).text, "s = '''a\n   \nb\n\t\n'''");
  EXPECT_EQ(dedent(Snippet{"  s = '''a\n \n    \n  b'''"}).text, "s = '''a\n\n  \nb'''");
}

TEST(Snippet, TabsAndBlanksShareOnlyWhatIsEqual) { EXPECT_EQ(dedent(Snippet{"\t a\n\t\tb"}).text, " a\n\tb"); }

TEST(Snippet, PositionsCountCharactersAndTheMargin) {
  const Snippet s{"aé${x}\n  ${y}", {"f", 3, 8}, 4};
  EXPECT_EQ(describe(position_of(s, s.text.find("${x}"))), "f:3:10");
  EXPECT_EQ(describe(position_of(s, s.text.find("${y}"))), "f:4:7");
  EXPECT_EQ(position_of(Snippet{"a\nb"}, 2).line, 0);
}

TEST(Snippet, CodeJoinsWhatHasText) {
  const Code code{{{"a", {}}, {"", {}}, {"b", {}}}};
  EXPECT_EQ(code.text(), "a\nb");
  EXPECT_FALSE(code.empty());
  EXPECT_TRUE(Code().empty());
  const Code blank{{{"", {}}}};
  EXPECT_TRUE(blank.empty());
}

}  // namespace
}  // namespace tally
