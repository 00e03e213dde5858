// Letters, places and mistakes in TOML, whatever toml++ makes of them.
#include "definition/toml_tree.h"

#include <gtest/gtest.h>

#include "definition/toml_guard.h"

namespace tally {
namespace {

std::string error_of(std::string_view bytes) {
  const Result<TomlNode> tree = parse_toml(bytes, "x.toml");
  EXPECT_FALSE(tree) << bytes;
  return tree ? std::string() : describe(tree.error());
}

TEST(TomlTree, LettersOfEveryAlphabetStay) {
  // Two, three and four bytes; a blank of Unicode's; the last letter that is shielded.
  const std::string letters = "é あ 漢 \u00A0 \uFEFF 😀";
  const Result<TomlNode> tree = parse_toml("\"" + letters + "\" = '" + letters + "' # " + letters + "\n", "x.toml");
  ASSERT_TRUE(tree) << describe(tree.error());
  EXPECT_EQ(tree->entries[0].key, letters);
  EXPECT_EQ(tree->entries[0].value.text, letters);
  EXPECT_EQ(describe(tree->entries[0].value.at), "x.toml:1:17") << "columns count letters";
}

TEST(TomlTree, EscapesAreLettersToo) {
  const Result<TomlNode> tree = parse_toml("a = \"\\u00e9\\U0001F600\"\n", "x.toml");
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->entries[0].value.text, "é😀");
}

TEST(TomlTree, LettersOutsideStringsAreRefused) {
  EXPECT_EQ(
      error_of("é = 1\n"),
      "x.toml:1:1: this is not TOML: while reading root table: expected keys, tables, whitespace or comments, saw "
      "'é' (é = 1); a key has the letters a to z, digits, '_' and '-', or stands in quotes");
  EXPECT_EQ(
      error_of("a = é\n"),
      "x.toml:1:5: this is not TOML: while reading value: could not determine value type (a = é); put quotes around "
      "text, as in label = \"name\"");
  EXPECT_EQ(
      error_of("a = 'x' あ\n"),
      "x.toml:1:9: this is not TOML: while reading key-value pair: expected a comment or whitespace, saw 'あ' (a = "
      "'x' あ); begin a new line behind each value");
  EXPECT_EQ(error_of("\xF1\x80\x82\xA0 = 1\n"),
            "x.toml: the suite holds letters that Unicode does not define (U+400A0 to U+4FEFF); take them out");
}

// Found by fuzzing: a quote inside a number that is none opens no string.
TEST(TomlTree, AQuoteInTheMiddleOfAValueOpensNoString) {
  EXPECT_EQ(error_of("schema =5555+5550\x01\x0f\".\xD1\x8C:ort(v sche=( 0\n"),
            "x.toml:1:9: this is not TOML: while reading value: could not determine value type (schema "
            "=5555+5550??\".\xD1\x8C:ort(v sche=( 0); put quotes around text, as in label = \"name\"");
  EXPECT_EQ(
      error_of("a = b\"é\"\n"),
      "x.toml:1:5: this is not TOML: while reading value: could not determine value type (a = b\"é\"); put quotes "
      "around text, as in label = \"name\"");
}

TEST(TomlTree, BytesThatAreNotUtf8AreRefused) {
  for (const char* bytes :
       {"\xE9", "\xED\xA0\x80", "\xC0\x80", "\xE0\x80\x80", "\xF8\x88\x80\x80", "\xE3\x81", "\x80"}) {
    EXPECT_EQ(error_of("a = '" + std::string(bytes) + "'\n").find("x.toml:1:"), 0U) << bytes;
  }
}

TEST(Shield, ChangesLettersOneForOne) {
  for (const char* text : {"", "plain", "é", "\u00A0\u0499\u2DCE\u31C7\uFFFF", "\xE9 \xC3", "😀"}) {
    const auto hidden = shield(text);
    ASSERT_TRUE(hidden);
    EXPECT_EQ(unshield(*hidden), text);
  }
  EXPECT_EQ(shield("\xEF\xBB\xBFx"), "\xEF\xBB\xBFx") << "a byte order mark stays at the beginning";
  EXPECT_NE(shield("é"), "é");
}

}  // namespace
}  // namespace tally
