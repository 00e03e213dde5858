// What expansion promises beyond the forms that tests/golden/plan holds.
#include "expansion/expand.h"

#include <gtest/gtest.h>

#include <locale>
#include <set>

#include "expansion/case_id.h"
#include "expansion/substitute.h"

namespace tally {
namespace {

Suite suite_of(std::initializer_list<const char*> labels) {
  Suite suite;
  for (const char* label : labels) {
    EXPECT_TRUE(suite.add(Benchmark{.label = {label},
                                    .py = {"y = x * ${n}"},
                                    .cpp = {"auto y = x * ${n};"},
                                    .setup = {{.py = {"x = torch.ones(3)"}, .cpp = {"auto x = torch::ones(3);"}}},
                                    .signature = {"f(x) -> y"},
                                    .torchscript = true,
                                    .autograd = true,
                                    .params = {{"n", {"1", "1000000"}, {}}},
                                    .options = {.threads = {1, 2000}, .toolchain = "torch"}}));
  }
  return suite;
}

TEST(Expand, OneCaseForEveryChoice) {
  const auto cases = expand(suite_of({"a"}));
  ASSERT_TRUE(cases);
  ASSERT_EQ(cases->size(), 2U * 2 * 2 * 2 * 2);
  EXPECT_EQ(cases->front().id, "a [python n=1]");
  EXPECT_EQ(cases->back().id, "a [cpp torchscript backward threads=2000 n=1000000]");
  const std::string& script = (*cases)[4].artifact->script.parts[1].text;
  EXPECT_EQ(script, "def f(x):");
  EXPECT_EQ((*cases)[4].artifact->name, (*cases)[12].artifact->name);  // Python's and C++'s
}

TEST(Expand, AddingABenchmarkRenamesNone) {
  const auto before = expand(suite_of({"a", "b"}));
  const auto after = expand(suite_of({"new", "a", "b"}));
  ASSERT_TRUE(before && after);
  for (std::size_t i = 0; i < before->size(); ++i) {
    EXPECT_EQ((*before)[i].id, (*after)[i + 32].id);
    EXPECT_EQ((*before)[i].digest, (*after)[i + 32].digest);
  }
}

TEST(Expand, TheLocaleChangesNothing) {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\1"; }
  };
  const auto plain = expand(suite_of({"a"}));
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  const auto comma = expand(suite_of({"a"}));
  std::locale::global(before);
  ASSERT_TRUE(plain && comma);
  for (std::size_t i = 0; i < plain->size(); ++i) {
    EXPECT_EQ((*plain)[i].id, (*comma)[i].id);
    EXPECT_EQ((*plain)[i].setup.text(), (*comma)[i].setup.text());
  }
}

TEST(Expand, TheDigestFollowsTheDefinition) {
  const auto digest = [](Benchmark b) {
    Suite suite;
    EXPECT_TRUE(suite.add(std::move(b)));
    return expand(suite)->front().digest;
  };
  const Benchmark base{.label = {"a"}, .cpp = {"f();"}};
  Benchmark changed = base;
  EXPECT_EQ(
      digest(base),
      "0fcacca1cac9d1b3453fd37117819812");  // Stored records hold it: it may never change for the same definition.
  changed.label = {"b"};
  EXPECT_EQ(digest(changed), digest(base));
  changed.cpp = {"g();"};
  EXPECT_NE(digest(changed), digest(base));
  changed = base;
  changed.options.threads = {2};
  EXPECT_NE(digest(changed), digest(base));
}

TEST(Expand, TwoDefinitionsOfOneIdAreAnError) {
  Suite suite;
  const std::vector<Param> params = {{"n", {"1"}, {}}};
  ASSERT_TRUE(suite.add(Benchmark{.label = {"a", "1"}, .py = {"x"}, .params = params}));
  ASSERT_TRUE(suite.add(Benchmark{.label = {"a", "${n}"}, .py = {"x"}, .params = params}));
  const auto cases = expand(suite);
  ASSERT_FALSE(cases);
  EXPECT_EQ(describe(cases.error()),
            "a/1: two definitions give the case 'a/1 [python n=1]'; change the label here or at "
            "a/1");
}

TEST(Expand, LabelsThatOnlyLookAlikeAreApart) {
  Suite suite;
  ASSERT_TRUE(suite.add(Benchmark{.label = {"a", "b"}, .py = {"x"}}));
  ASSERT_TRUE(suite.add(Benchmark{.label = {"a/b"}, .py = {"x"}}));
  ASSERT_TRUE(suite.add(Timer{.label = {"a"}, .stmt = {"x"}}));
  ASSERT_TRUE(suite.add(Timer{.label = {"a"}, .language = Language::cpp, .stmt = {"x;"}}));
  const auto cases = expand(suite);
  ASSERT_TRUE(cases) << describe(cases.error());
  EXPECT_EQ(cases->size(), 4U);
}

TEST(Expand, TooManyCombinationsAreRefused) {
  Suite suite;
  Benchmark b{.label = {"a"}, .py = {"x"}};
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    b.params.push_back({name, {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, {}});
  }
  ASSERT_TRUE(suite.add(b));
  const auto cases = expand(suite);
  ASSERT_FALSE(cases);
  EXPECT_EQ(cases.error().message, "the parameters give more than 100000 combinations");
}

TEST(CaseId, IsSafeBetweenQuotes) {
  Case c;
  c.label = {"a/b", "it's \"$x\" `y` 100% [z]!"};
  c.params = {{"n", "a b=[c]"}};
  EXPECT_EQ(make_case_id(c), "a%2Fb/it%27s %22%24x%22 %60y%60 100%25 [z]%21 [cpp n=a%20b%3D%5Bc%5D]");
}

TEST(CaseId, NamesOnlyWhatIsNotTheDefault) {
  Case c;
  c.label = {"a"};
  EXPECT_EQ(make_case_id(c), "a [cpp]");
  c.runtime = Runtime::explicit_case;
  c.autograd = Autograd::explicit_case;
  EXPECT_EQ(make_case_id(c), "a [cpp]");
  c.runtime = Runtime::torchscript;
  c.autograd = Autograd::forward_backward;
  c.threads = 2;
  c.params = {{"n", "8"}, {"type", "int"}};
  EXPECT_EQ(make_case_id(c), "a [cpp torchscript backward threads=2 n=8 type=int]");
}

// Parameters may be called like the words of an id, and their values may look like one.
TEST(CaseId, DifferentFactsHaveDifferentIds) {
  std::set<std::string> ids;
  std::size_t made = 0;
  const std::vector<std::vector<std::pair<std::string, std::string>>> parameters = {
      {},
      {{"torchscript", "1"}},
      {{"backward", "threads=2"}},
      {{"backward", "1 threads=2"}},
      {{"cpp", "backward"}},
      {{"n", "1"}, {"m", "2"}},
      {{"m", "2"}, {"n", "1"}},
      {{"n", "1 m=2"}},
      {{"n", "1] [cpp"}},
  };
  for (const char* label : {"a", "a [cpp]", "a [cpp threads=2]", "a [cpp"}) {
    for (const Language language : {Language::cpp, Language::python}) {
      for (const Runtime runtime : {Runtime::eager, Runtime::torchscript}) {
        for (const Autograd autograd : {Autograd::forward, Autograd::forward_backward}) {
          for (const int threads : {1, 2}) {
            for (const auto& params : parameters) {
              Case c;
              c.label = {label};
              c.language = language;
              c.runtime = runtime;
              c.autograd = autograd;
              c.threads = threads;
              c.params = params;
              ids.insert(make_case_id(c));
              ++made;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(ids.size(), made);
}

TEST(CaseId, AParameterMayNotBeCalledThreads) {
  Suite suite;
  const Status added = suite.add(Benchmark{.label = {"a"}, .py = {"x"}, .params = {{"threads", {"2"}, {}}}});
  ASSERT_FALSE(added);
  EXPECT_EQ(describe(added.error()), "a: 'threads' cannot be the name of a parameter: ids use it; choose another name");
}

TEST(CaseId, ATimerAndABenchmarkOfOneNameAreRefused) {
  Suite suite;
  ASSERT_TRUE(suite.add(Benchmark{.label = {"a"}, .py = {"x"}}));
  ASSERT_TRUE(suite.add(Timer{.label = {"a"}, .stmt = {"x"}}));
  const auto cases = expand(suite);
  ASSERT_FALSE(cases);
  EXPECT_EQ(describe(cases.error()), "a: two definitions give the case 'a [python]'; change the label here or at a");
}

TEST(Substitute, KeepsWhatIsEscaped) {
  const ParamValues params = {{"n", "4"}};
  EXPECT_EQ(substitute({"${n}$${n}$n$${${n}"}, params, "x")->text, "4${n}$n${4");
  EXPECT_EQ(substitute({"no"}, params, "x")->text, "no");
  EXPECT_FALSE(substitute({"${"}, params, "x"));
  EXPECT_FALSE(substitute({"${}"}, params, "x"));
}

}  // namespace
}  // namespace tally
