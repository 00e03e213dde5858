#include "definition/lexical.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(Lexical, BracketsInStringsAndCommentsDoNotCount) {
  EXPECT_FALSE(leaves_open("f('(', \"[\") # (", Language::python));
  EXPECT_TRUE(leaves_open("f('''\n(''', [", Language::python));
  EXPECT_TRUE(leaves_open("f('(', \"\\\"(\"; // )\n/* ) */ 1", Language::cpp));
  EXPECT_FALSE(leaves_open("f(R\"x()\")x\", 1'000'000, L'(', u8R\"(()\");", Language::cpp));
}

TEST(Lexical, StringsOfSeveralLinesStayOpen) {
  EXPECT_TRUE(leaves_open("x = '''a", Language::python));
  EXPECT_TRUE(leaves_open("x = \"\"\"a", Language::python));
  EXPECT_FALSE(leaves_open("x = '''a\nb'''", Language::python));
  EXPECT_TRUE(leaves_open("auto x = R\"(a", Language::cpp));
  EXPECT_TRUE(leaves_open("f(); /* a", Language::cpp));
  EXPECT_FALSE(leaves_open("f(); // a", Language::cpp));
}

TEST(Lexical, AnUnclosedStringEndsWithItsLine) {
  EXPECT_FALSE(leaves_open("x = '(", Language::python));
  EXPECT_TRUE(leaves_open("x = '(\ny = (", Language::python));
}

TEST(Lexical, SurvivesTextThatEndsInTheMiddle) {
  for (const char* text : {"'", "\"\\", "'''", "/*", "//", "R\"", "R\"(", "R\"aaaaaaaaaaaaaaaaaaaaaaaa(", "\\", "1'"}) {
    EXPECT_EQ(blank_strings_and_comments(text, Language::cpp).size(), std::string_view(text).size()) << text;
    EXPECT_EQ(blank_strings_and_comments(text, Language::python).size(), std::string_view(text).size()) << text;
  }
}

TEST(Lexical, ModelsAreDefinedInManyWays) {
  for (const char* text : {"model = f()", "class model:\n  pass", "def model(x): return x", "model: object = f()",
                           "x = 1\nmodel=f()", "from m import net as model"}) {
    EXPECT_TRUE(defines(text, "model", Language::python)) << text;
  }
  for (const char* text :
       {"auto model = f();", "Net model;", "Net model(3);", "Net<int> model{3};", "Net& model = x;"}) {
    EXPECT_TRUE(defines(text, "model", Language::cpp)) << text;
  }
  for (const char* text :
       {"my_model = f()", "model == f()", "# model = f()", "net.model = 1", "x = 'model = 1'", "models = 1"}) {
    EXPECT_FALSE(defines(text, "model", Language::python)) << text;
  }
  EXPECT_FALSE(defines("return f(model);", "model", Language::cpp));
}

TEST(Lexical, WhatClosesTooMuchIsFound) {
  EXPECT_EQ(closes_too_much("f(); }", Language::cpp), 5U);
  EXPECT_EQ(closes_too_much("break; } for (;;) { break;", Language::cpp), 7U);
  EXPECT_EQ(closes_too_much("1); f(2", Language::cpp), 1U);
  for (const char* fine : {"f(a[1], {2});", "if (x) { y(); } else { z(); }", "g('}', \"}\", R\"(})\"); // }",
                           "#if A\n} else {\n#endif", "f() {"})
    EXPECT_EQ(closes_too_much(fine, Language::cpp), std::string::npos) << fine;
}

}  // namespace
}  // namespace tally
