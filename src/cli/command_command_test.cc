#include "cli/command_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refused(std::string_view text) {
  const auto words = shell_words(text);
  return words ? "" : words.error().message;
}

TEST(ShellWords, AreThoseOfAShell) {
  EXPECT_THAT(*shell_words("gzip -k big"), ElementsAre("gzip", "-k", "big"));
  EXPECT_THAT(*shell_words("  a   'b  c'\"d 'e'\"  '' \\ f "), ElementsAre("a", "b  cd 'e'", "", " f"));
  EXPECT_THAT(*shell_words(R"(echo "a \"b\" \n" 'x|y' a#b a~)"),
              ElementsAre("echo", R"(a "b" \n)", "x|y", "a#b", "a~"));
  EXPECT_THAT(*shell_words("sort ${n}.txt"), ElementsAre("sort", "${n}.txt"));
}

TEST(ShellWords, WhatOnlyAShellCanDoIsRefused) {
  for (const char* text : {"a | b", "a > b", "a; b", "a & ", "a $HOME", "a `b`", "ls *", "# a", "ls ~/x"})
    EXPECT_THAT(refused(text), HasSubstr("needs a shell")) << text;
  EXPECT_THAT(refused("a 'b"), HasSubstr("a quote does not end"));
  EXPECT_THAT(refused("a ${n"), HasSubstr("does not end"));
  EXPECT_THAT(refused("  "), HasSubstr("empty command"));
}

TEST(NameOfACommand, IsItsTextWithoutQuotesAroundAParameter) {
  EXPECT_EQ(command_name({"seq", "${n}"}), "seq ${n}");
  EXPECT_EQ(command_name({"gzip", "-${level}", "-c", "${a}${b}.txt"}), "gzip -${level} -c ${a}${b}.txt");
  EXPECT_EQ(command_name({"echo", "a b", "", "$x", "a ${n}"}), "echo 'a b' '' '$x' 'a ${n}'");
  EXPECT_EQ(command_name({"${"}), "${");
}

TEST(ParameterValues, AreListsAndRanges) {
  EXPECT_THAT(*parameter_values("a,b", "p"), ElementsAre("a", "b"));
  EXPECT_THAT(*parameter_values("-1..2", "p"), ElementsAre("-1", "0", "1", "2"));
  EXPECT_THAT(*parameter_values("0..100..25", "p"), ElementsAre("0", "25", "50", "75", "100"));
  for (const char* text : {"1..", "2..1", "a..b", "1..9..0", "1..2..3..4", "0..1000000"})
    EXPECT_FALSE(parameter_values(text, "p")) << text;
}

}  // namespace
}  // namespace tally::cli
