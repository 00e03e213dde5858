// [[program]] in a suite file: what it says goes to the benchmarks that the program lists.
#include "definition/read_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<std::string> no_include(const std::string& path) { return fail(ErrorKind::input, "not there", path); }

/// A program that lists "sort" with a parameter, and "map", which says of itself how often it is executed.
Suite two_benchmarks(const Program& program) {
  Suite suite;
  Toolchain toolchain;
  toolchain.name = "program";
  toolchain.own_host.executable = program.path;
  EXPECT_TRUE(suite.add_toolchain(std::move(toolchain)));
  EXPECT_TRUE(suite.add(Benchmark{.label = {"file", "sort"},
                                  .cpp = {"sort/${n}"},
                                  .params = {{.name = "n", .values = {"8", "64"}}},
                                  .options = {.toolchain = "program"}}));
  Benchmark map{.label = {"file", "map"}, .cpp = {"map"}, .options = {.tags = {"own"}, .toolchain = "program"}};
  map.options.settings.iterations = 7;
  EXPECT_TRUE(suite.add(std::move(map)));
  return suite;
}

Result<Suite> parsed(const std::string& text, std::vector<Program>* met = nullptr) {
  return parse_suite("schema = 1\n" + text, "/there/suite.toml", no_include, [=](const Program& program) {
    if (met != nullptr) met->push_back(program);
    return Result<Suite>(two_benchmarks(program));
  });
}

TEST(ReadProgram, WhatItListsAreDefinitionsInTheOrderOfTheFile) {
  std::vector<Program> met;
  const auto suite = parsed(R"([[benchmark]]
label = "first"
cpp = "a();"
[[program]]
path = "build/bench"
args = ["--data", "x y"]
subject = ["../lib/libx.so", "liby.so"]
environment = { MODE = "fast" }
tags = ["slow"]
timeout = "2 min"
iterations = 5
[[program]]
path = "/elsewhere/bench.exe"
name = "other"
[[timer]]
label = "last"
language = "cpp"
stmt = "b();"
[defaults]
threads = [1, 2]
replicates = 4
)",
                            &met);
  ASSERT_TRUE(suite) << describe(suite.error());
  ASSERT_EQ(met.size(), 2U);
  EXPECT_EQ(met[0].path, "/there/build/bench");
  EXPECT_THAT(met[0].args, ElementsAre("--data", "x y"));
  ASSERT_EQ(suite->definitions().size(), 6U);
  const auto& sort = std::get<Benchmark>(suite->definitions()[1]);
  EXPECT_THAT(sort.label, ElementsAre("bench", "sort"));
  EXPECT_THAT(sort.options.tags, ElementsAre("slow"));
  EXPECT_THAT(sort.options.threads, ElementsAre(1)) << "how many it has is the program's to say";
  EXPECT_EQ(sort.options.settings.timeout, std::chrono::minutes(2));
  EXPECT_EQ(sort.options.settings.iterations, 5U);
  EXPECT_EQ(sort.options.settings.replicates, 4);
  const auto& map = std::get<Benchmark>(suite->definitions()[2]);
  EXPECT_THAT(map.options.tags, ElementsAre("slow", "own"));
  EXPECT_EQ(map.options.settings.iterations, 7U) << "a benchmark's own word wins";
  EXPECT_THAT(std::get<Benchmark>(suite->definitions()[3]).label, ElementsAre("other", "sort"));
  EXPECT_THAT(std::get<Timer>(suite->definitions()[5]).label, ElementsAre("last"));
  const auto toolchain = suite->toolchain(sort.options.toolchain);
  ASSERT_TRUE(toolchain);
  EXPECT_EQ(toolchain->own_host.executable, "/there/build/bench");
  EXPECT_THAT(toolchain->own_host.args, ElementsAre("--data", "x y"));
  EXPECT_THAT(toolchain->subject, ElementsAre("/lib/libx.so", "liby.so"));
  EXPECT_EQ(toolchain->environment.at("MODE"), "fast");
  EXPECT_EQ(suite->toolchain("program-other")->own_host.executable, "/elsewhere/bench.exe");
}

TEST(ReadProgram, NamesOfToolchainsAreMadeOfAnyFilesName) {
  EXPECT_EQ(toolchain_of({.path = "/a/sort-bench_2"}), "program-sort-bench_2");
  EXPECT_EQ(toolchain_of({.path = "/a/bench.x64"}), "program-bench_2Ex64");
}

TEST(ReadProgram, MistakesHaveTheirPlace) {
  const auto wrong = [](const std::string& text) {
    const auto suite = parsed(text);
    EXPECT_FALSE(suite) << text;
    return suite ? "" : describe(suite.error());
  };
  EXPECT_EQ(wrong("[[program]]\nname = 'x'\n"),
            "/there/suite.toml:2:1: a [[program]] without a path; write path = \"build/bench\", relative to this "
            "suite; of one in Python, pytest = \"bench/\"");
  EXPECT_THAT(wrong("[[program]]\npath = 'x'\nfliter = 'a'\n"),
              HasSubstr(":4:1: unknown key 'fliter' in [[program]]; did you mean 'filter'?"));
  EXPECT_THAT(wrong("[[program]]\npath = 'x'\nthreads = 2\n"), HasSubstr(":4:1: unknown key 'threads'"));
  EXPECT_THAT(wrong("[[program]]\npath = 'a/x'\n[[program]]\npath = 'b/x'\n"),
              HasSubstr(":4:1: two programs are called 'x'; give one of them another name for its ids: name ="));
  EXPECT_THAT(wrong("[[benchmark]]\nlabel = ['x', 'map']\ncpp = 'f();'\n[[program]]\npath = 'x'\n"),
              HasSubstr(":5:1: label 'x/map' is used already at /there/suite.toml:3:"));
  EXPECT_THAT(wrong("[program]\npath = 'x'\n"), HasSubstr("write [[program]]"));
  EXPECT_THAT(wrong("[[program]]\npath = 'x'\nname = ''\nargs = [\"a\\u0000\"]\n"),
              HasSubstr(":5:8: no argument can hold a null character"));
}

TEST(ReadProgram, WhatItsListerSaysIsReportedWithThePlaceInTheSuite) {
  const auto error = [](const ProgramLister& list) {
    return describe(
        parse_suite("schema = 1\n[[program]]\npath = 'x'\n", "/there/suite.toml", no_include, list).error());
  };
  EXPECT_EQ(error([](const Program& program) -> Result<Suite> {
              return fail(ErrorKind::input, "cannot be run", program.path, "build it");
            }),
            "/there/suite.toml:3:8: /there/x cannot be run; build it");
  EXPECT_EQ(error([](const Program&) -> Result<Suite> { return fail(ErrorKind::input, "is odd", "file/a b"); }),
            "/there/suite.toml:3:8: file/a b: is odd");
  EXPECT_THAT(error(nullptr), HasSubstr(":3:8: a suite with [[program]] cannot be used here"));
}

/// A program in Python that lists one test.
Result<Suite> one_test(const Program& program) {
  Suite suite;
  Toolchain toolchain;
  toolchain.name = "python";
  toolchain.own_host.python = PythonProgram{program.framework, program.paths, program.folder, {}, {}, {}};
  toolchain.name = toolchain_of(program);
  if (auto added = suite.add_toolchain(toolchain); !added) return std::unexpected(added.error());
  Timer timer{.label = {"bench", "test_x.py::test_a[n=3]"},
              .language = Language::python,
              .stmt = {"bench/test_x.py::test_a[n=3]", {}},
              .options = {.toolchain = toolchain.name}};
  if (auto added = suite.add(std::move(timer)); !added) return std::unexpected(added.error());
  return suite;
}

TEST(ReadProgram, OneInPythonIsOfItsFramework) {
  std::vector<Program> met;
  const auto suite = parse_suite(R"(schema = 1
[[program]]
pytest = ["bench", "more"]
python = [".venv/bin/python", "python3"]
args = ["-k", "x"]
tags = ["slow"]
)",
                                 "/there/suite.toml", no_include, [&](const Program& program) {
                                   met.push_back(program);
                                   return one_test(program);
                                 });
  ASSERT_TRUE(suite) << suite.error().message;
  ASSERT_EQ(met.size(), 1U);
  EXPECT_EQ(met[0].framework, "pytest");
  EXPECT_THAT(met[0].paths, ElementsAre("bench", "more"));
  EXPECT_EQ(met[0].folder, "/there");
  EXPECT_THAT(met[0].python, ElementsAre("/there/.venv/bin/python", "python3"));
  EXPECT_THAT(met[0].args, ElementsAre("-k", "x"));
  ASSERT_EQ(suite->definitions().size(), 1U);
  const auto& timer = std::get<Timer>(suite->definitions()[0]);
  EXPECT_THAT(timer.options.tags, ElementsAre("slow"));
  EXPECT_EQ(timer.options.toolchain, "program-pytest");
}

TEST(ReadProgram, AKindIsStatedOnce) {
  for (const auto& [text, words] : {std::pair{"pytest = \"bench\"\nasv = \".\"\n", "says two"},
                                    {"path = \"x\"\npytest = \"bench\"\n", "says two"},
                                    {"path = \"x\"\npython = \"python3\"\n", "no interpreter"},
                                    {"pytest = []\n", "without a path"},
                                    {"args = [\"x\"]\n", "without a path"}}) {
    const auto suite = parsed(std::string("[[program]]\n") + text);
    ASSERT_FALSE(suite) << text;
    EXPECT_THAT(suite.error().message, HasSubstr(words)) << text;
    EXPECT_THAT(suite.error().where, HasSubstr("/there/suite.toml:")) << text;
  }
}

}  // namespace
}  // namespace tally
