// What expansion promises beyond the forms that tests/golden/plan holds.
#include "expansion/expand.h"

#include <gtest/gtest.h>

#include <locale>
#include <map>
#include <set>

#include "definition/builtin_toolchains.h"
#include "definition/read_suite.h"
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
                                    .runtimes = {{"torchscript", {}}},
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
  const Code& script = (*cases)[4].artifact->script;
  ASSERT_EQ(script.parts.size(), 5U);
  EXPECT_EQ(script.parts[1].text, "torch.manual_seed(0)\ndef f(x):");
  EXPECT_EQ(script.parts[2].text, "    y = x * 1");                    // A part of its own: it stands in the suite.
  EXPECT_EQ((*cases)[4].artifact->name, (*cases)[12].artifact->name);  // Python's and C++'s
}

TEST(Expand, ACommandIsACaseForEachOfItsValues) {
  const auto suite = parse_suite(R"(schema = 1
[defaults]
toolchain = "cpp"
threads = [1, 2]
[[command]]
label = ["pack", "${file}"]
run = ["gzip", "-${level}", "a file"]
prepare = "cp ${file} 'a file'"
environment = { LEVEL = "${level}" }
expect_status = [0, 2]
params = { file = ["x"], level = [1, 9] }
[[command]]
label = "shell"
shell = "echo ${HOME} | wc"
output = "out.txt"
expect_status = "any"
)",
                                 "/s/suite.toml", read_suite_file);
  ASSERT_TRUE(suite) << describe(suite.error());
  const auto cases = expand(*suite);
  ASSERT_TRUE(cases) << describe(cases.error());
  ASSERT_EQ(cases->size(), 3U);
  const Case& first = cases->front();
  EXPECT_EQ(first.id, "pack/x [command file=x level=1]");
  EXPECT_EQ((*cases)[1].id, "pack/x [command file=x level=9]");
  EXPECT_EQ(first.stmt.text(), "gzip -1 'a file'");
  EXPECT_EQ(first.setup.text(), "cp x 'a file'");
  EXPECT_EQ(first.toolchain, kCommandToolchain);
  EXPECT_EQ(first.threads, 1);
  ASSERT_TRUE(first.command);
  EXPECT_EQ(first.command->folder, "/s");
  EXPECT_EQ(first.command->expected, (std::vector{0, 2}));
  EXPECT_EQ(first.command->environment.at("LEVEL"), "1");
  EXPECT_NE(first.digest, (*cases)[1].digest);
  const Case& shell = cases->back();
  EXPECT_EQ(shell.command->run, (std::vector<std::string>{"/bin/sh", "-c", "echo ${HOME} | wc"}));
  EXPECT_EQ(shell.command->output, "/s/out.txt");
  EXPECT_TRUE(shell.command->expected.empty());
}

TEST(Expand, ACommandWithSomethingOfItsOwnIsAnotherCase) {
  const auto case_of = [](const std::string& keys) {
    const auto suite = parse_suite("schema = 1\n[[command]]\nlabel = \"a\"\nrun = [\"a\"]\n" + keys, "s.toml", {});
    return expand(*suite)->front();
  };
  const Case own = case_of("own_process_numbers = true");
  const Case other = case_of("");
  EXPECT_TRUE(own.command->own_numbers);
  EXPECT_FALSE(other.command->own_numbers);
  EXPECT_NE(own.digest, other.digest);
  EXPECT_EQ(case_of("own_process_numbers = false").digest, other.digest);
  const Case with_tmp = case_of("private_tmp = true");
  EXPECT_TRUE(with_tmp.command->private_tmp);
  EXPECT_FALSE(other.command->private_tmp);
  EXPECT_NE(with_tmp.digest, other.digest);
  EXPECT_NE(with_tmp.digest, own.digest);
}

TEST(Expand, WhatIsNoCommandIsRefused) {
  const auto refused = [](const std::string& keys) {
    const auto suite = parse_suite("schema = 1\n[[command]]\nlabel = \"a\"\n" + keys, "s.toml", read_suite_file);
    return suite ? "" : suite.error().message;
  };
  EXPECT_EQ(refused("run = [\"true\"]"), "");
  EXPECT_EQ(refused(""), "a [[command]] that starts nothing");
  EXPECT_EQ(refused("run = []"), "command 'a' starts no program");
  EXPECT_EQ(refused("run = [\"a\"]\nshell = \"b\""), "'shell' stands beside 'run'");
  EXPECT_EQ(refused("run = [\"a\"]\nexpect_status = 256"), "256 is not an exit status");
  EXPECT_EQ(refused("run = [\"a\"]\nexpect_status = \"some\""), "'some' is not an exit status");
  EXPECT_NE(refused("run = [\"a\"]\nthreads = 2"), "");
  EXPECT_NE(refused("run = [\"a\"]\niterations = 2"), "");
}

constexpr std::string_view kTraced = R"(schema = 1
[toolchain.mine]
extends = "torch"
[toolchain.mine.runtime.traced]
file = "model_${digest}"
statement = '''
threads(${threads})
${setup}
def f(${arguments}):
    ${statement}'''
model = '${model}'
save = { py = 'for_python("${file}", [${arguments}])', cpp = 'for_cpp("${file}")' }
load = { py = 'load("${file}")', cpp = 'load("${file}");' }
call = { py = '${assign}f(${arguments})', cpp = '${assign}f(${arguments});' }
backward = { py = 'reverse(${result})' }
global_setup = '#include <traced.h>'
warm_up = 'import traced'
[[benchmark]]
label = "a"
toolchain = "mine"
py = "y = x * 2"
cpp = "auto y = x * 2;"
setup = { py = "x = one", cpp = "auto x = one;" }
signature = "f(x) -> y"
traced = true
autograd = true
threads = [1, 2]
)";

TEST(Expand, ARuntimeSaysWhatItsScriptsAreMadeOfAndWhatItsCasesNeed) {
  const Result<Suite> suite =
      parse_suite(kTraced, "/suite.toml", [](const std::string& path) -> Result<std::string> { return path; });
  ASSERT_TRUE(suite) << describe(suite.error());
  std::map<std::string, Case> cases;
  const auto expanded = expand(*suite);
  ASSERT_TRUE(expanded);
  for (const Case& one : *expanded) cases[one.id] = one;
  // C++ has no backward of it.
  EXPECT_EQ(cases.size(), 8U + 4 + 2);  // Eager; traced in Python; traced in C++.
  const Case& python = cases.at("a [python traced backward]");
  EXPECT_EQ(python.artifact->script.text(),
            "threads(1)\nx = one\ndef f(x):\n    y = x * 2\nfor_python(\"" + python.artifact->name + "\", [x])");
  EXPECT_EQ(python.stmt.text(), "y = f(x)\nreverse(y)");
  EXPECT_EQ(python.host_runtime, "traced");
  EXPECT_EQ(cases.at("a [python]").host_runtime, "");
  const Case& cpp = cases.at("a [cpp traced]");
  EXPECT_EQ(cpp.artifact->script.parts.back().text, "for_cpp(\"" + cpp.artifact->name + "\")");
  EXPECT_EQ(cpp.global_setup.text(), "#include <traced.h>");
  EXPECT_EQ(cpp.host_runtime, "");
  EXPECT_EQ(cases.count("a [cpp traced backward]"), 0U);
  EXPECT_EQ(cases.at("a [python traced]").artifact->name, python.artifact->name);
  EXPECT_NE(cases.at("a [python traced threads=2]").artifact->name, python.artifact->name);
  EXPECT_NE(cpp.artifact->name, python.artifact->name);
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

std::vector<Case> cases_of(const std::string& text) {
  const IncludeResolver nothing = [](const std::string& path) { return fail(ErrorKind::input, "not there", path); };
  const Result<Suite> suite = parse_suite(text, "suite.toml", nothing);
  EXPECT_TRUE(suite) << describe(suite.error()) << text;
  const Result<std::vector<Case>> cases = suite ? expand(*suite) : std::vector<Case>{};
  EXPECT_TRUE(cases) << describe(cases.error());
  return cases ? *cases : std::vector<Case>{};
}

const std::string kTraining = R"toml(
[[benchmark]]
label = "training"
py = """
y = (x * w)

y = y.sum()"""
cpp = 'auto y = (x * w).sum();'
signature = "f(x, w) -> y"
torchscript = true
autograd = true
[[benchmark]]
label = "model"
py_model = 'model = torch.nn.Linear(4, 2)'
cpp_model = 'auto model = torch::nn::Linear(4, 2);'
signature = "f(x) -> x"
torchscript = true
)toml";

TEST(Expand, AToolchainThatWasPastedGivesTheSameCases) {
  const std::vector<ToolchainText> texts = builtin_toolchain_texts();
  const std::vector<Case> known = cases_of("schema = 1\ntoolchain = \"torch\"\n" + kTraining);
  const std::vector<Case> pasted =
      cases_of("schema = 1\n" + toolchain_to_paste(texts.back(), "mine") + "\n" + kTraining);
  ASSERT_EQ(known.size(), 12U);
  ASSERT_EQ(pasted.size(), known.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    EXPECT_EQ(pasted[i].toolchain, "mine");
    EXPECT_EQ(pasted[i].id, known[i].id);
    EXPECT_EQ(pasted[i].stmt.text(), known[i].stmt.text());
    EXPECT_EQ(pasted[i].setup.text(), known[i].setup.text());
    ASSERT_EQ(pasted[i].artifact.has_value(), known[i].artifact.has_value());
    if (known[i].artifact) EXPECT_EQ(pasted[i].artifact->script.text(), known[i].artifact->script.text());
  }
}

TEST(Expand, APythonModelIsLoadedByCppToo) {
  const std::string text =
      "schema = 1\ntoolchain = \"torch\"\n[[benchmark]]\nlabel = \"m\"\npy_model = 'model = torch.nn.Linear(4, 2)'\n"
      "signature = \"f(x) -> y\"\ntorchscript = true\n";
  const auto ids = [](const std::vector<Case>& cases) {
    std::vector<std::string> found;
    found.reserve(cases.size());
    for (const Case& one : cases) found.push_back(one.id);
    return found;
  };
  EXPECT_EQ(ids(cases_of(text + "setup = { py = 'x = torch.ones(4)' }\n")),
            (std::vector<std::string>{"m [python]", "m [python torchscript]"}));
  EXPECT_EQ(ids(cases_of(text + "setup = { py = 'x = torch.ones(4)', cpp = 'auto x = torch::ones(4);' }\n")),
            (std::vector<std::string>{"m [python]", "m [python torchscript]", "m [cpp torchscript]"}));
}

TEST(Expand, AToolchainMayHaveARuntimeOfItsOwnInOneLanguage) {
  const std::vector<Case> cases = cases_of(R"toml(
schema = 1
[toolchain.mine]
requires = ["mine", "json"]
[toolchain.mine.runtime.traced]
file = "${digest}.trace"
statement = """
${imports}
def f(${arguments}):
    ${statement}
    return ${result}"""
model = "${model}"
save = 'mine.save(f, "${file}")'
load = { py = """
f = mine.load("${file}")
${call}""" }
call = { py = '${assign}f(${arguments})' }
[[benchmark]]
label = "a"
py = 'print(x)'
cpp = 'show(x);'
signature = "f(x) -> None"
traced = true
)toml");
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[1].id, "a [python traced]");
  EXPECT_EQ(cases[2].id, "a [cpp]");
  const Artifact& made = *cases[1].artifact;
  EXPECT_EQ(made.name, made.digest + ".trace");
  // Nothing is returned, so the line that would return it is not there.
  EXPECT_EQ(made.script.text(),
            "import mine\nimport json\ndef f(x):\n    print(x)\nmine.save(f, \"" + made.name + "\")");
  EXPECT_EQ(cases[1].setup.text(), "f = mine.load(\"" + made.name + "\")\nf(x)");
  EXPECT_EQ(cases[1].stmt.text(), "f(x)");
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
  c.runtime = "explicit";
  c.autograd = Autograd::explicit_case;
  EXPECT_EQ(make_case_id(c), "a [cpp]");
  c.runtime = "torchscript";
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
      for (const char* runtime : {"eager", "torchscript"}) {
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
