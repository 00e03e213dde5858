// `tally ab`: two compilers, two interpreters, and whether both sides compute the same.
#include <cstdlib>

#include "base/text.h"
#include "harness.h"

namespace tally::cli_test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A suite of its own in a folder of its own, with what its sides differ in.
class Ab : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const std::string path = (folder_->path() / name).string();
    EXPECT_TRUE(write_file(path, text));
    return path;
  }
  std::string path(const std::string& name) const { return (folder_->path() / name).string(); }
  static Ran ab(const std::string& suite, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"ab", suite, "--counts-only", "--rounds", "1", "-n", "10", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return tally(arguments);
  }

 private:
  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

/// Both sides sum the numbers below n; the wrong one is faster and off by the last.
constexpr const char* kCpp = R"(schema = 1
[defaults]
toolchain = "right"
[toolchain.right]
extends = "cpp"
[toolchain.wrong]
extends = "cpp"
flags = ["-O2", "-std=c++20", "-DWRONG"]

[[benchmark]]
label = ["sum"]
cpp = 'tally::keep(n); auto sum = total(n);'
signature = "f(n) -> sum"
[benchmark.setup]
cpp = 'long n = 1000;'
cpp_global = '''
static long total(long n) {
#ifdef WRONG
  return (n - 1) * n / 2 - 1;
#else
  long sum = 0;
  for (long i = 0; i < n; ++i) { sum += i; asm volatile("" : "+r"(sum)); }
  return sum;
#endif
}
'''

[[benchmark]]
label = ["same"]
cpp = 'text += "b"; if (text.size() > 8) text.clear();'
setup = { cpp = 'std::string text = "a";' }

[[benchmark]]
label = ["kept"]
cpp = 'tally::keep(n + 1.5);'
setup = { cpp = 'int n = 4;' }

[[benchmark]]
label = ["pointer"]
cpp = 'tally::keep(&n);'
setup = { cpp = 'int n = 4;' }
)";

TEST_F(Ab, AFasterWrongAnswerInCppIsCaught) {
  const std::string suite = write("suite.toml", kCpp);
  const std::vector<std::string> sides = {"--a-toolchain", "right", "--b-toolchain", "wrong"};
  Ran unchecked = ab(suite, sides);
  EXPECT_EQ(unchecked.code, 0) << unchecked.err;
  EXPECT_THAT(unchecked.out, HasSubstr("faster"));

  std::vector<std::string> checked = sides;
  checked.emplace_back("--same-result");
  const Ran ran = ab(suite, checked);
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("faster"));
  EXPECT_THAT(ran.out, HasSubstr("THE RESULTS DIFFER: sum [cpp]\n"
                                 "  A left sum = 499500\n"
                                 "  B left sum = 499499\n"));
  EXPECT_THAT(ran.out, HasSubstr("the results cannot be compared: pointer [cpp]\n"
                                 "  a pointer does not say what it points to"));
  EXPECT_THAT(ran.out, HasSubstr("results: 1 the same, 1 different, 2 that cannot be compared"));
  // How many instructions a compiler's code takes is its own affair.
  std::string text = masked(ran.out, " +[0-9][0-9,]*  ", " COUNT  ");
  text = masked(text, " [-+][0-9.,]+ %", " CHANGE");
  text = masked(text, "\nwith: [^\n]*clang[^\n]*glibc [^\n]*\n", "\nwith: VERSIONS\n");
  text = masked(text, " +(before|after|change|time|verdict|cause)", " $1");
  expect_golden("cli/ab.txt", masked(text, "  +(COUNT|CHANGE)", " $1"));
}

TEST_F(Ab, SameResultsAreAPassAndSaidInJson) {
  const std::string suite = write("suite.toml", kCpp);
  const Ran ran = ab(suite, {"--b-toolchain", "right", "--same-result", "--json", "--filter", "kept*"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\"result\": \"same\""));
  EXPECT_THAT(ran.out, Not(HasSubstr("results:")));
  EXPECT_THAT(ran.err, HasSubstr("results: 1 the same, 0 different, 0 that cannot be compared"));
}

constexpr const char* kPython = R"(schema = 1
toolchain = "python"

[[benchmark]]
label = ["sum"]
py = 's = answer.total(1000)'
setup = { py = 'import answer' }

[[benchmark]]
label = ["value"]
py = '[answer.name, 2.5]'
setup = { py = 'import answer' }

[[benchmark]]
label = ["clock"]
py = 't = time.perf_counter_ns()'
setup = { py = 'import time' }
)";

TEST_F(Ab, AFasterWrongAnswerInPythonIsCaught) {
  const std::string suite = write("suite.toml", kPython);
  write("right/answer.py", "name = 'answer'\ndef total(n):\n    return sum(range(n))\n");
  write("wrong/answer.py", "name = 'answer'\ndef total(n):\n    return n * n // 2\n");
  // What both compute does not depend on what is measured of it: times want no Valgrind.
  const Ran ran =
      tally({"ab", suite, "--wall-only", "--max-run-time", "0.01", "--rounds", "1", "--quiet", "--a",
             "export PYTHONPATH=" + path("right"), "--b", "export PYTHONPATH=" + path("wrong"), "--same-result"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("faster"));
  EXPECT_THAT(ran.out, HasSubstr("THE RESULTS DIFFER: sum [python]\n"
                                 "  A left s = 499500\n"
                                 "  B left s = 500000\n"));
  EXPECT_THAT(ran.out, HasSubstr("the results cannot be compared: clock [python]\n"
                                 "  A: two executions from one state leave different results"));
  EXPECT_THAT(ran.out, HasSubstr("results: 1 the same, 1 different, 1 that cannot be compared"));
}

constexpr const char* kTorch = R"(schema = 1
toolchain = "torch"

[[benchmark]]
label = ["square"]
py = 'y = answer.square(x)'
cpp = 'auto y = x * x;'
signature = "f(x) -> y"
[benchmark.setup]
py = 'import answer; x = torch.full((4, 4), 3.0)'
cpp = 'auto x = torch::full({4, 4}, 3.0);'

[[benchmark]]
label = ["random"]
py = 'y = model(x)'
cpp = 'auto y = model(x);'
signature = "f(x) -> y"
[benchmark.setup]
py = 'model = torch.nn.Linear(4, 2); x = torch.rand((4, 4))'
cpp = 'torch::nn::Linear model(4, 2); auto x = torch::rand({4, 4});'
)";

/// The toolchain seeds the generators: nobody has to.
TEST_F(Ab, TensorsAreComparedByTheirBytes) {
  const std::string suite = write("suite.toml", kTorch);
  write("right/answer.py", "def square(x):\n    return x * x\n");
  write("wrong/answer.py", "def square(x):\n    return x * 3.0000005\n");
  const Ran ran = ab(suite, {"--a", "export PYTHONPATH=" + path("right"), "--b", "export PYTHONPATH=" + path("wrong"),
                             "--same-result"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("THE RESULTS DIFFER: square [python]\n"
                                 "  A left y = tensor torch.float32 [4, 4] {9.0, 9.0, "));
  EXPECT_THAT(ran.out, HasSubstr("results: 3 the same, 1 different, 0 that cannot be compared"));
}

TEST_F(Ab, TwoCompilersAreComparedByName) {
  const std::string suite = write("suite.toml", kCpp);
  const Ran ran = ab(suite, {"--a-cxx", "clang++-19", "--b-cxx", "g++", "--filter", "sum*", "--json-a", path("a.json"),
                             "--json-b", path("b.json"), "--width", "60", "--all"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const auto& [file, compiler] : {std::pair{"a.json", "clang"}, {"b.json", "g++"}}) {
    const auto text = read_file(path(file));
    ASSERT_TRUE(text) << ran.err;
    const auto record = record_from_json(*text, file);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->cases.front().status, CaseStatus::ok);
    EXPECT_THAT(*text, HasSubstr(compiler));
  }
  std::size_t widest = 0;
  for (const std::string_view line : split(ran.out, '\n')) {
    if (line.starts_with("sum")) widest = std::max(widest, line.size());
  }
  EXPECT_GT(widest, 0U);
  EXPECT_LE(widest, 60U);
}

/// The interpreter that Debian has, and another one of the machine, where there is one.
TEST_F(Ab, TwoInterpretersAreComparedByName) {
  std::string other;
  const char* root = std::getenv("PYENV_ROOT");
  const char* home = std::getenv("HOME");
  const fs::path versions = root != nullptr ? fs::path(root) / "versions" : fs::path(home) / ".pyenv/versions";
  std::error_code code;
  for (const auto& version : fs::directory_iterator(versions, code)) {
    const std::string name = version.path().filename().string();
    if ((name.starts_with("3.10") || name.starts_with("3.12")) && fs::exists(version.path() / "bin/python3"))
      other = (version.path() / "bin/python3").string();
  }
  if (other.empty()) GTEST_SKIP() << "no second interpreter";
  const std::string suite = write("suite.toml", R"(schema = 1
[[benchmark]]
label = ["sort"]
py = 's = sorted(x)'
setup = { py = 'x = [3, 1, 2] * 10' }
)");
  const Ran ran = ab(suite, {"--a-python", "/usr/bin/python3", "--b-python", other, "--same-result", "--all",
                             "--json-b", path("b.json")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("results: 1 the same, 0 different, 0 that cannot be compared"));
  const auto text = read_file(path("b.json"));
  ASSERT_TRUE(text);
  EXPECT_THAT(ran.out, HasSubstr("environment: python: "));
}

}  // namespace
}  // namespace tally::cli_test
