#include "build/result_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build/source.h"

namespace tally {
namespace {

using testing::HasSubstr;
using testing::Not;

ReportedStatement of(const std::string& stmt, std::vector<std::string> results = {}) {
  Case c;
  c.stmt.parts = {{stmt, {"suite.toml", 3, 1}}};
  c.results = std::move(results);
  return reported(c);
}

std::string named(const std::string& name) { return "  __tally_text.named(\"" + name + "\", " + name + ");\n"; }

TEST(ResultSource, TheSignatureNamesTheResult) {
  const ReportedStatement made = of("auto y = x * x; tally::keep(y);", {"y", "x"});
  EXPECT_EQ(made.report, named("y") + named("x"));
  EXPECT_EQ(made.stmt.text(), "auto y = x * x; tally::keep(y);");
}

TEST(ResultSource, WhatIsKeptIsTheResult) {
  const ReportedStatement made = of("{ auto y = f(x); tally::keep(y); ::tally::keep(x); }");
  EXPECT_EQ(made.report, "");
  EXPECT_EQ(made.stmt.text(), "{ auto y = f(x); __tally_text.kept(y); __tally_text.kept(x); }");
}

TEST(ResultSource, OtherwiseTheLastStatementIsTheResult) {
  EXPECT_EQ(of("x += 1.0;").report, named("x"));
  EXPECT_EQ(of("a = 1; x <<= 2;").report, named("x"));
  EXPECT_EQ(of("auto y = x == 3 ? 1 : 2;").report, named("y"));
  EXPECT_EQ(of("const std::vector<int>& y = f(a, b);").report, named("y"));
  EXPECT_EQ(of("int* p = f(\";\");").report, named("p"));
  EXPECT_EQ(of("x[i = 3] = 1").report, named("x"));
  EXPECT_EQ(of("x.part.sum = 1; // done;").report, named("x"));
  EXPECT_EQ(of("auto [a, b] = f();").report, named("a") + named("b"));
  EXPECT_EQ(of("++n;").report, named("n"));
  EXPECT_EQ(of("std::vector<int> v(100);").report, named("v"));
  EXPECT_EQ(of("Thing t{1, 2};").report, named("t"));
  EXPECT_EQ(of("for (int i = 0; i < 3; ++i) x += i;").report, "");
}

TEST(ResultSource, AnExpressionsValueIsTheResultAndItsObjectToo) {
  const ReportedStatement made = of("a = 1;\nx.index_put_({0}, 1.0);");
  EXPECT_EQ(made.stmt.text(), "a = 1;__tally_text.value((\nx.index_put_({0}, 1.0)\n, ::tally::detail::nothing{}));");
  EXPECT_EQ(made.report, named("x"));
  EXPECT_EQ(of("f(x)").stmt.text(), "__tally_text.value((f(x)\n, ::tally::detail::nothing{}))");
  EXPECT_EQ(of("f(x)").report, "");
  EXPECT_EQ(of("a <= b;").stmt.text(), "__tally_text.value((a <= b\n, ::tally::detail::nothing{}));");
}

TEST(ResultSource, OnlyAnExaminedSnippetReports) {
  Case c;
  c.stmt.parts = {{"x += 1;", {}}};
  EXPECT_THAT(case_source(c, {}, "f", Lines::none), Not(HasSubstr("__tally_text")));
  const std::string examined = case_source(c, {}, "f", Lines::none, Purpose::examined);
  EXPECT_THAT(examined, HasSubstr("#include \"tally/result.h\"\n"));
  EXPECT_THAT(examined, HasSubstr(named("x") + "  __tally_text.send(__tally_statement);\n"));
}

}  // namespace
}  // namespace tally
