/// Which Python functions instructions are of: known programs, on every interpreter at hand.
#include <cmath>
#include <cstdlib>
#include <map>

#include "harness.h"
#include "json/text.h"

namespace tally::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// Recursion, mutual recursion, generators, delegation, coroutines, comprehensions, exceptions, keys, properties,
/// indexing, context managers, lambdas.
constexpr const char* kWorks = R"(import functools
def leaf(n):
    s = 0
    for i in range(n): s += i
    for i in range(@ROUNDS@): pass
    return s
def fact(n): return 1 if n == 0 else n * fact(n - 1)
def even(n): return True if n == 0 else odd(n - 1)
def odd(n): return False if n == 0 else even(n - 1)
def gen(n):
    for i in range(n): yield leaf(i)
def outer(n): yield from gen(n)
class P:
    def __init__(s, x): s.x = x
    @property
    def p(s): return leaf(s.x)
    def __getitem__(s, i): return leaf(i)
    def __enter__(s): return s
    def __exit__(s, *a): return False
async def co(n): return leaf(n)
async def co2(n): return await co(n) + 1
def key(x): return -leaf(x % 7)
def raises(n):
    try:
        if n: raises(n - 1)
        raise ValueError(n)
    except ValueError: return n
def work():
    leaf(10); fact(10); even(9); list(outer(5)); sorted(range(10), key=key)
    p = P(3); p.p; p[4]
    with p: leaf(2)
    try: co2(3).send(None)
    except StopIteration: pass
    raises(3)
    [leaf(i) for i in range(3)]
    functools.reduce(lambda a, b: a + b, range(5))
)";

constexpr const char* kSuite = R"toml(schema = 1
toolchain = "python"
[[benchmark]]
label = ["known"]
setup.py = '''
import sys
sys.path.insert(0, "@FOLDER@")
import works
def twice():
    works.work(); works.work()
'''
py = "twice()"
)toml";

/// The one on PATH, the system's, and those beside it of the oldest and the newest version that there are.
std::vector<std::string> interpreters() {
  std::vector<std::string> found = {"python3", "/usr/bin/python3"};
  const char* home = std::getenv("HOME");
  const char* root = std::getenv("PYENV_ROOT");
  const fs::path versions = root != nullptr ? fs::path(root) / "versions" : fs::path(home) / ".pyenv/versions";
  std::map<int, std::string> by_version;
  std::error_code none;
  for (const auto& folder : fs::directory_iterator(versions, none)) {
    const std::string name = folder.path().filename().string();
    const int minor = name.starts_with("3.") ? std::atoi(name.c_str() + 2) : 0;
    if (minor >= 9 && fs::exists(folder.path() / "bin/python3")) by_version[minor] = folder.path() / "bin/python3";
  }
  if (!by_version.empty()) found.push_back(by_version.begin()->second);
  if (by_version.size() > 1) found.push_back(by_version.rbegin()->second);
  std::erase_if(found, [](const std::string& one) { return one.front() == '/' && !fs::exists(one); });
  return found;
}

class PythonFunctionsTest : public ::testing::TestWithParam<std::string> {
 protected:
  std::string measure(const std::string& name, const std::string& rounds) {
    std::string text = kWorks;
    text.replace(text.find("@ROUNDS@"), 8, rounds);
    EXPECT_TRUE(write_file(folder_->path() / "works.py", text));
    std::string suite = kSuite;
    suite.replace(suite.find("@FOLDER@"), 8, folder_->path().string());
    EXPECT_TRUE(write_file(folder_->path() / "suite.toml", suite));
    const std::string record = folder_->path() / (name + ".json");
    const Ran ran = tally({"run", folder_->path() / "suite.toml", "--python", GetParam(), "--counts-only", "--profiles",
                           "--json", record});
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    EXPECT_THAT(ran.err, Not(HasSubstr("not known")));
    return record;
  }
  static json::Value functions(const std::string& record, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"profile", "--python", "--json", "--top", "0", record + "#known"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ran ran = tally(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    auto json = json::parse(ran.out);
    return json ? *json : json::Value();
  }
  /// By the part of the name that all versions know; those beneath the class are of the same functions.
  static double of(const json::Value& profile, const std::string& name, const char* figure = "count") {
    double sum = 0;
    for (const json::Value& one : *profile["functions"].array()) {
      if (one["function"].text()->find(name) != std::string::npos) sum += one[figure].number().value_or(0);
    }
    return sum;
  }
  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_P(PythonFunctionsTest, OwnCostsSumToTheWholeAndRepeatAndAPlantedChangeIsNamedAlone) {
  const std::string before = measure("before", "0");
  const json::Value own = functions(before);
  double sum = 0;
  for (const json::Value& one : *own["functions"].array()) {
    sum += *one["count"].number();
    EXPECT_GE(*one["count"].number(), 0) << *one["function"].text();
  }
  EXPECT_EQ(sum, *own["total"].number());
  const json::Value all = functions(before, {"--inclusive"});
  EXPECT_EQ(of(all, "statement"), sum);
  EXPECT_LT(of(all, "works.fact (works.py:7)"), of(all, "works.work ("));
  EXPECT_EQ(of(all, "works.fact (works.py:7)"), of(own, "works.fact (works.py:7)")) << "it calls nothing but itself";
  EXPECT_GE(of(all, "works.even ("), of(own, "works.even (") + of(own, "works.odd (")) << "each is in the other";
  EXPECT_EQ(of(own, "works.fact (", "calls"), 2200);
  EXPECT_EQ(of(own, "works.leaf (", "calls"), 2 * 2300);
  EXPECT_EQ(of(own, "twice (suite.toml:9)", "calls"), 100) << "a function of the statement's own text";

  const std::string again = measure("again", "0");
  EXPECT_EQ(json::to_text(own, 0), json::to_text(functions(again), 0));

  const std::string after = measure("after", "40");
  const json::Value change = functions(after, {"--base", before + "#known"});
  // On 3.9, an object of another size moves what the allocator does elsewhere: 6 instructions in 200,000.
  for (const json::Value& one : *change["functions"].array()) {
    if (*one["function"].text() == "works.leaf (works.py:2)") continue;
    EXPECT_LT(std::abs(*one["count"].number()), of(change, "works.leaf (") * 1e-4) << *one["function"].text();
  }
  const Ran ran = tally({"explain", before, after});
  EXPECT_THAT(ran.out, AllOf(ContainsRegex("1 of [1-9] Python functions? that moved has 100 % of all movement"),
                             HasSubstr("works.leaf (works.py:2)"), HasSubstr("native functions that moved")));
}

INSTANTIATE_TEST_SUITE_P(Interpreters, PythonFunctionsTest, ::testing::ValuesIn(interpreters()),
                         [](const auto& one) { return std::to_string(one.index); });

class PythonFunctionsFailures : public PythonFunctionsTest {};

TEST_P(PythonFunctionsFailures, ACaseWithoutThemIsOneClearError) {
  EXPECT_TRUE(write_file(folder_->path() / "suite.toml",
                         "schema = 1\n[[benchmark]]\nlabel = [\"a\"]\ncpp = \"tally::keep(1);\"\n"));
  const std::string record = folder_->path() / "r.json";
  EXPECT_EQ(tally({"run", folder_->path() / "suite.toml", "--counts-only", "--profiles", "--json", record}).code, 0);
  const Ran ran = tally({"profile", "--python", record + "#a"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("the Python functions of 'a [cpp]' were not kept; measure with tally run --profiles"));
}

/// More code than the pool has places for: the case stands, and says what is not known of it. What an earlier run has
/// kept is not shown in its place.
TEST_P(PythonFunctionsFailures, TooManyFunctionsAreAWarning) {
  const std::string record = folder_->path() / "r.json";
  const auto run = [&](const std::string& functions) {
    std::string text = R"(schema = 1
toolchain = "python"
[[benchmark]]
label = ["many"]
iterations = 1
setup.py = '''
text = "".join(f"def f{i}(): return {i}\n" for i in range(COUNT))
names = {}
exec(compile(text, "many.py", "exec"), names)
functions = [names[f"f{i}"] for i in range(COUNT)]
'''
py = "[f() for f in functions]"
)";
    for (int i = 0; i < 2; ++i) text.replace(text.find("COUNT"), 5, functions);
    EXPECT_TRUE(write_file(folder_->path() / "suite.toml", text));
    const Ran ran = tally({"run", folder_->path() / "suite.toml", "--counts-only", "--profiles", "--json", record});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return *read_file(record);
  };
  EXPECT_THAT(run("40"), Not(HasSubstr("not known")));
  EXPECT_EQ(tally({"profile", "--python", record + "#many"}).code, 0);
  EXPECT_THAT(run("5000"),
              HasSubstr("its Python functions are not known: the statement has more than 4095 Python functions"));
  EXPECT_EQ(tally({"profile", "--python", record + "#many"}).code, 2);
}

INSTANTIATE_TEST_SUITE_P(Default, PythonFunctionsFailures, ::testing::Values("python3"));

}  // namespace
}  // namespace tally::cli_test
