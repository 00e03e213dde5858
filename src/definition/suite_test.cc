// Suites built in code, and what the reader does beyond the forms and rules that tests/golden holds.
#include "definition/suite.h"

#include <gtest/gtest.h>

#include <map>

#include "definition/read_suite.h"

namespace tally {
namespace {

Result<std::string> nothing(const std::string& path) { return fail(ErrorKind::input, "not there", path); }

Suite parsed(std::string_view text, const std::string& file = "suite.toml") {
  Result<Suite> suite = parse_suite(text, file, nothing);
  EXPECT_TRUE(suite) << describe(suite.error());
  return suite ? std::move(*suite) : Suite();
}

TEST(Suite, IsBuiltInCode) {
  Suite suite;
  ASSERT_TRUE(suite.set_defaults({.threads = {2}, .tags = {"mine"}}));
  ASSERT_TRUE(suite.add_setup("v", {.cpp = {"  std::vector<int> v(10);"}}));
  ASSERT_TRUE(suite.add(Benchmark{.label = {"sum"}, .cpp = {"v[0] += 1;"}, .setup = {*suite.setup("v")}}));
  ASSERT_TRUE(suite.add(Timer{.label = {"one"}, .stmt = {"x = 1"}}));
  ASSERT_TRUE(suite.add(Variants{.label = {"two"}, .py = {"x\ny"}}));
  ASSERT_EQ(suite.definitions().size(), 4U);
  const auto& sum = std::get<Benchmark>(suite.definitions()[0]);
  EXPECT_EQ(sum.setup[0].cpp.text, "std::vector<int> v(10);");
  EXPECT_EQ(sum.options.threads, std::vector{2});
  EXPECT_EQ(sum.options.tags, std::vector<std::string>{"mine"});
  EXPECT_EQ(std::get<Timer>(suite.definitions()[1]).options.threads, std::vector{1});
}

TEST(Suite, ErrorsOfCodeNameTheLabel) {
  Suite suite;
  const Status none = suite.add(Benchmark{.label = {"a", "b"}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().where, "a/b");
  ASSERT_TRUE(suite.add(Benchmark{.label = {"a"}, .py = {"x"}}));
  const Status twice = suite.add(Benchmark{.label = {"a"}, .py = {"x"}});
  ASSERT_FALSE(twice);
  EXPECT_EQ(describe(twice.error()), "a: label 'a' is used already; choose another label; it names the case for good");
}

TEST(Suite, SnippetsKnowTheirPlaceInTheFile) {
  const Suite suite = parsed(
      "schema = 1\n[[benchmark]]\nlabel = 'a'\npy = '''\n\n    x = 1\n    y = 2'''\ncpp = 'é();'\nsetup = { py = "
      "'''z''' }\n");
  const auto& b = std::get<Benchmark>(suite.definitions()[0]);
  EXPECT_EQ(describe(b.py.at), "suite.toml:6:5");
  EXPECT_EQ(describe(b.cpp.at), "suite.toml:8:8");
  EXPECT_EQ(describe(b.setup[0].py.at), "suite.toml:9:19");
}

TEST(Suite, ColumnsOfATableKnowTheirPlace) {
  const Suite suite = parsed(
      "schema = 1\n[[benchmark]]\nlabel = 'a'\ntable = '''\n  Python | C++\n  ------ | ---\n         |\n  a      |   "
      "b;\n'''\n");
  const auto& b = std::get<Benchmark>(suite.definitions()[0]);
  EXPECT_EQ(describe(b.py.at), "suite.toml:8:3");
  EXPECT_EQ(describe(b.cpp.at), "suite.toml:8:14");
  EXPECT_EQ(b.cpp.text, "b;");
}

TEST(Suite, WindowsLineEndsAndAByteOrderMarkAreRead) {
  const Suite suite = parsed("\xEF\xBB\xBFschema = 1\r\n[[benchmark]]\r\nlabel = 'a'\r\npy = '''\r\n  x\r\n  y'''\r\n");
  const auto& b = std::get<Benchmark>(suite.definitions()[0]);
  EXPECT_EQ(b.py.text, "x\ny");
  EXPECT_EQ(describe(b.py.at), "suite.toml:5:3");
}

TEST(Suite, ToolchainsTakePathsFromTheSuitesFolder) {
  const Suite suite = parsed(R"toml(
schema = 1
[toolchain.mylib]
extends = "torch"
cxx = ["clang++-19", "tools/cxx"]
flags = ["-O3"]
include = ["include", "/opt/x"]
link = ["build/libmylib.so", "-lm", "-Lbuild"]
prelude = ["mylib/all.h"]
preload = ["build/libmylib.so", "libm.so.6"]
subject = ["build/libmylib.so"]
requires = ["mylib"]
seed = { py = "mylib.seed(7)" }
set_threads = { py = "mylib.set_threads(${threads})", cpp = "mylib::set_threads(${threads});" }
[toolchain.mylib.sync]
table = '''
Python       | C++
------------ | --------------
mylib.sync() | mylib::sync();
'''
)toml",
                             "/home/me/suite.toml");
  const Toolchain t = *suite.toolchain("mylib");
  using Texts = std::vector<std::string>;
  EXPECT_EQ(t.cpp.compilers, (Texts{"clang++-19", "/home/me/tools/cxx"}));
  EXPECT_EQ(t.cpp.flags, Texts{"-O3"});
  EXPECT_EQ(t.cpp.include, (Texts{"/home/me/include", "/opt/x"}));
  EXPECT_EQ(t.cpp.link, (Texts{"/home/me/build/libmylib.so", "-lm", "-L/home/me/build"}));
  EXPECT_EQ(t.cpp.prelude,
            (Texts{"sys/mman.h", "dlfcn.h", "unistd.h", "torch/torch.h", "torch/script.h", "mylib/all.h"}));
  EXPECT_EQ(t.cpp.preload.back(), "libm.so.6");
  EXPECT_EQ(t.subject, Texts{"/home/me/build/libmylib.so"});
  EXPECT_EQ(t.python.modules, (Texts{"torch", "mylib"}));
  EXPECT_EQ(t.texts.seed.py, "mylib.seed(7)");
  EXPECT_EQ(t.texts.seed.cpp, "");
  EXPECT_EQ(t.texts.set_threads.cpp, "mylib::set_threads(${threads});");
  EXPECT_EQ(t.device.sync.py, "mylib.sync()");
  EXPECT_EQ(t.device.identify, PerLanguage{}) << "a wait of its own is for all cases, not for those on torch's devices";
}

TEST(Suite, ADefinitionsOwnTimesAndPrecisionWin) {
  const Suite suite = parsed(R"toml(
schema = 1
[defaults]
min_run_time = "200 ms"
max_run_time = "10 s"
precision = "1 %"
[[benchmark]]
label = "default"
py = 'x'
[[benchmark]]
label = "own"
py = 'x'
max_run_time = "1 min"
precision = "0.5%"
)toml");
  using std::chrono::milliseconds;
  const CaseSettings& inherited = std::get<Benchmark>(suite.definitions()[0]).options.settings;
  EXPECT_EQ(inherited.min_run_time, milliseconds(200));
  EXPECT_EQ(inherited.max_run_time, milliseconds(10000));
  EXPECT_EQ(inherited.precision, 0.01);
  const CaseSettings& own = std::get<Benchmark>(suite.definitions()[1]).options.settings;
  EXPECT_EQ(own.min_run_time, milliseconds(200));
  EXPECT_EQ(own.max_run_time, milliseconds(60000));
  EXPECT_EQ(own.precision, 0.005);
}

TEST(Suite, SeedAndThreadsComeBeforeSetupWhereTheyAreSaid) {
  CaseTexts t;
  t.seed.cpp = "seed();";
  t.set_threads = {.py = "threads(${threads})", .cpp = "threads(${threads});"};
  const auto cpp = before_setup(t, Language::cpp, 2);
  ASSERT_EQ(cpp.size(), 2U);
  EXPECT_EQ(cpp[0].key, "seed");
  EXPECT_EQ(cpp[1].text, "threads(2);");
  const auto python = before_setup(t, Language::python, 3);
  ASSERT_EQ(python.size(), 1U);
  EXPECT_EQ(python[0].text, "threads(3)");
}

TEST(Suite, TheOnlyToolchainOfAFileIsItsDefault) {
  const Suite suite = parsed("schema = 1\n[toolchain.mine]\n[[benchmark]]\nlabel = 'a'\ncpp = 'f();'\n");
  EXPECT_EQ(std::get<Benchmark>(suite.definitions()[0]).options.toolchain, "mine");
}

TEST(Suite, SettingsCarryTheirUnits) {
  const Suite suite = parsed(
      "schema = 1\n[defaults]\ntimeout = '2 min'\nreplicates = 3\n[[timer]]\nlabel = 'a'\nlanguage = 'cpp'\nstmt = "
      "'f();'\n"
      "min_run_time = '0.5s'\niterations = 7\nmemory = '2 GiB'\nentropy = 'system'\n");
  const CaseSettings& s = std::get<Timer>(suite.definitions()[0]).options.settings;
  EXPECT_EQ(s.timeout, std::chrono::minutes(2));
  EXPECT_EQ(s.min_run_time, std::chrono::milliseconds(500));
  EXPECT_EQ(s.replicates, 3);
  EXPECT_EQ(s.iterations, 7U);
  EXPECT_EQ(s.memory_bytes, std::uint64_t{2} << 30U);
  EXPECT_EQ(s.entropy, Entropy::system);
}

TEST(Suite, ACircleOfIncludesIsNamed) {
  const std::map<std::string, std::string> files = {{"b/b.toml", "schema = 1\ninclude = 'c.toml'\n"},
                                                    {"b/c.toml", "schema = 1\ninclude = '../a.toml'\n"}};
  const IncludeResolver resolve = [&](const std::string& path) -> Result<std::string> {
    const auto found = files.find(path);
    return found == files.end() ? nothing(path) : found->second;
  };
  const Result<Suite> suite = parse_suite("schema = 1\ninclude = ['b/b.toml']\n", "a.toml", resolve);
  ASSERT_FALSE(suite);
  EXPECT_EQ(
      describe(suite.error()),
      "b/c.toml:2:11: suites include each other in a circle: a.toml -> b/b.toml -> b/c.toml -> a.toml; take one of "
      "these includes out");
}

TEST(Suite, IncludesThatNestForEverEnd) {
  const IncludeResolver resolve = [](const std::string& path) -> Result<std::string> {
    return "schema = 1\ninclude = '" + path + "x'\n";
  };
  const Result<Suite> suite = parse_suite("schema = 1\ninclude = 'a'\n", "suite.toml", resolve);
  ASSERT_FALSE(suite);
  EXPECT_EQ(suite.error().message, "includes nest deeper than 32");
}

TEST(Suite, AFileThatIsMissingIsTheUsersToRepair) {
  const Result<Suite> suite = read_suite("no/such/suite.toml");
  ASSERT_FALSE(suite);
  EXPECT_EQ(suite.error().kind, ErrorKind::input);
  EXPECT_EQ(suite.error().where, "no/such/suite.toml");
  EXPECT_FALSE(read_suite("src"));
}

}  // namespace
}  // namespace tally
