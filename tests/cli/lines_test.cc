/// Which source lines the instructions of C++ are of: statements, the user's own libraries, both compilers.
#include <cstdlib>
#include <map>

#include "base/text.h"
#include "harness.h"
#include "json/text.h"

namespace tally::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSuite = R"toml(schema = 1
[[timer]]
label = ["inlined"]
language = "cpp"
setup = "std::array<int, 12> a{}; unsigned r = 1;"
stmt = '''
for (auto& x : a) { r = r * 1103515245 + 12345; x = r >> 8; }
std::sort(a.begin(), a.end());
tally::keep(std::accumulate(a.begin(), a.end(), 0));
'''
[[timer]]
label = ["apart"]
language = "cpp"
setup = "std::vector<int> v(1000); unsigned r = 1;"
stmt = '''
for (auto& x : v) { r = r * 1103515245 + 12345; x = r >> 8; }
std::sort(v.begin(), v.end());
'''
[[timer]]
label = ["python"]
language = "python"
stmt = "pass"
)toml";

class Lines : public ::testing::Test {
 protected:
  void SetUp() override { write("s.toml", kSuite); }
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(folder_->path() / name, text));
  }
  [[nodiscard]] How here() const { return {.folder = folder_->path().string()}; }
  Ran run(const std::string& json, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"run", "s.toml", "--counts-only", "--profiles", "--json", json};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Ran ran = tally(arguments, here());
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran;
  }
  json::Value lines(const std::string& named) {
    const Ran ran = tally({"profile", named, "--lines", "--json", "--top", "0"}, here());
    EXPECT_EQ(ran.code, 0) << ran.err;
    return json::parse(ran.out).value_or(json::Value());
  }
  static std::map<std::uint64_t, std::uint64_t> by_line(const json::Value& report, const std::string& file) {
    std::map<std::uint64_t, std::uint64_t> costs;
    for (const json::Value& one : *report["lines"].array())
      if (one["file"].text_or("").ends_with(file)) costs[*one["line"].whole()] += *one["count"].whole();
    return costs;
  }
  static std::uint64_t sum(const json::Value& report) {
    std::uint64_t total = 0;
    for (const char* part : {"lines", "elsewhere"})
      for (const json::Value& one : *report[part].array()) total += *one["count"].whole();
    return total;
  }
  [[nodiscard]] std::uint64_t total(const std::string& named) const {
    const Ran ran = tally({"profile", named, "--json"}, here());
    return static_cast<std::uint64_t>(json::parse(ran.out).value_or(json::Value())["total"].number().value_or(0));
  }

  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_F(Lines, InlinedCodeCountsToTheLineThatCallsIt) {
  for (const std::string compiler : {"clang++-19", "g++"}) {
    run("r.json", {"--cxx", compiler});
    for (const std::string name : {"inlined", "apart"}) {
      const std::string named = "r.json#" + name;
      const json::Value report = lines(named);
      EXPECT_EQ(sum(report), total(named)) << compiler << " " << name;
      EXPECT_EQ(*report["total"].whole(), total(named));
      // All of it is the suite's, but for the loop and the C library.
      for (const json::Value& one : *report["lines"].array())
        EXPECT_EQ(one["file"].text_or(""), "s.toml") << json::to_text(report);
      std::uint64_t elsewhere = 0;
      for (const json::Value& one : *report["elsewhere"].array()) elsewhere += *one["count"].whole();
      EXPECT_LT(elsewhere, 5000U) << json::to_text(report);
    }
    const auto apart = by_line(lines("r.json#apart"), "s.toml");
    ASSERT_EQ(apart.size(), 2U);
    EXPECT_GT(apart.at(17), 5 * apart.at(16));
    EXPECT_EQ(by_line(lines("r.json#inlined"), "s.toml").size(), 3U);
  }
}

TEST_F(Lines, TwoRunsSayTheSame) {
  run("a.json");
  run("b.json");
  for (const std::string name : {"inlined", "apart"})
    EXPECT_EQ(json::to_text(lines("a.json#" + name)), json::to_text(lines("b.json#" + name)));
}

TEST_F(Lines, TheTextIsThatOfTheFileAndFollowsASuiteThatMoves) {
  run("r.json");
  const Ran before = tally({"profile", "r.json#apart", "--lines"}, here());
  EXPECT_THAT(before.out, AllOf(HasSubstr("s.toml:17"), HasSubstr("std::sort(v.begin(), v.end());")));
  // The same text is not compiled again, wherever it stands.
  write("s.toml", "# One line more.\n" + std::string(kSuite));
  run("r.json");
  const Ran after = tally({"profile", "r.json#apart", "--lines"}, here());
  EXPECT_THAT(after.out, AllOf(HasSubstr("s.toml:18"), HasSubstr("std::sort(v.begin(), v.end());")));
  EXPECT_EQ(replace_all(replace_all(before.out, ":17", ":18"), ":16", ":17"), after.out);
}

TEST_F(Lines, AUsersLibraryHasItsOwn) {
  write("work.h", "int work(const int* values, int count);\n");
  write("work.cc",
        "#include <algorithm>\n#include <numeric>\n#include \"work.h\"\n"
        "int work(const int* values, int count) {\n"
        "  const int sum = std::accumulate(values, values + count, 0);\n"
        "  return sum + *std::max_element(values, values + count);\n"
        "}\n");
  const std::string folder = folder_->path().string();
  ASSERT_EQ(std::system(
                ("cd " + shell_quote(folder) + " && g++ -O2 -g -gdwarf-4 -shared -fPIC -o libwork.so work.cc").c_str()),
            0);
  write("s.toml", fmt::format("schema = 1\n[toolchain.mine]\nextends = \"cpp\"\ninclude = [\"{0}\"]\n"
                              "link = [\"{0}/libwork.so\"]\nprelude = [\"work.h\"]\n"
                              "[[timer]]\nlabel = [\"work\"]\nlanguage = \"cpp\"\ntoolchain = \"mine\"\n"
                              "setup = \"std::vector<int> v(100, 3);\"\nstmt = \"tally::keep(work(v.data(), 100));\"\n",
                              folder));
  run("r.json");
  const json::Value report = lines("r.json#work");
  EXPECT_EQ(sum(report), total("r.json#work"));
  const auto costs = by_line(report, "/work.cc");
  EXPECT_GT(costs.at(5), 100U * 100);
  EXPECT_GT(costs.at(6), 100U * 100);
  EXPECT_THAT(tally({"profile", "r.json#work", "--lines"}, here()).out,
              AllOf(HasSubstr("work.cc:5"), HasSubstr("std::accumulate(values, values + count, 0);")));
  // Edited since it was compiled: what stands at its lines now is not what was measured.
  const auto text = read_file(folder_->path() / "work.cc");
  ASSERT_TRUE(text);
  write("work.cc", "// A line more.\n" + *text);
  run("n.json");
  const Ran newer = tally({"profile", "n.json#work", "--lines"}, here());
  EXPECT_THAT(newer.out, AllOf(HasSubstr("work.cc:5"), HasSubstr("newer than what was compiled from it"),
                               Not(HasSubstr("std::accumulate"))));
}

/// The counter that follows calls knows no files: those are the lines'.
TEST_F(Lines, FilesCostWhatTheirLinesCost) {
  run("r.json");
  const Ran ran = tally({"profile", "r.json#apart [cpp]", "--by", "file", "--json", "--top", "0"}, here());
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json::Value files = json::parse(ran.out).value_or(json::Value());
  double sum = 0;
  std::vector<std::string> names;
  for (const json::Value& one : *files["functions"].array()) {
    sum += one["count"].number().value_or(0);
    names.push_back(*one["file"].text());
  }
  EXPECT_EQ(sum, files["total"].number());
  EXPECT_THAT(names, ::testing::Contains("s.toml"));
  run("without.json", {"--no-lines"});
  const Ran none = tally({"profile", "without.json#apart [cpp]", "--by", "file"}, here());
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("its functions have no files, and the costs of its source lines were not kept"));
}

TEST_F(Lines, NothingIsKeptThatIsNotWanted) {
  run("r.json", {"--no-sources"});
  EXPECT_FALSE(fs::exists(folder_->path() / "r.json.profiles/sources"));
  const Ran shown = tally({"profile", "r.json#apart", "--lines"}, here());
  EXPECT_THAT(shown.out, AllOf(HasSubstr("s.toml:17"), Not(HasSubstr("std::sort"))));
  run("n.json", {"--no-lines"});
  const Ran without = tally({"profile", "n.json#apart", "--lines"}, here());
  EXPECT_EQ(without.code, 2);
  EXPECT_THAT(without.err, HasSubstr("no source lines were kept"));
  const Ran python = tally({"profile", "r.json#python", "--lines"}, here());
  EXPECT_EQ(python.code, 2);
  EXPECT_THAT(python.err, HasSubstr("a case in Python has no source lines; see its Python functions with --python"));
  const Ran inclusive = tally({"profile", "r.json#apart", "--lines", "--inclusive"}, here());
  EXPECT_EQ(inclusive.code, 2);
  EXPECT_THAT(inclusive.err, HasSubstr("--lines shows own instructions"));
}

/// Twice: as it is, and with a line above and another's work doubled.
TEST_F(Lines, TheLineThatMadeItSlowerIsNamedWhereverItMoves) {
  run("a.json");
  std::string changed = "# One line more.\n" + std::string(kSuite);
  changed = replace_all(changed, "std::sort(a.begin(), a.end());",
                        "std::sort(a.begin(), a.end()); std::sort(a.rbegin(), a.rend());");
  write("s.toml", changed);
  run("b.json");
  const Ran same = tally({"profile", "b.json#apart", "--lines", "--base", "a.json#apart"}, here());
  EXPECT_EQ(same.out, "no line moved\n") << same.err;
  const Ran difference = tally({"profile", "b.json#inlined", "--lines", "--base", "a.json#inlined"}, here());
  EXPECT_EQ(difference.code, 0) << difference.err;
  EXPECT_THAT(difference.out, AllOf(HasSubstr("s.toml:9"), HasSubstr("a.end()); std"),
                                    HasSubstr("was: std::sort(a.begin(), a.end());")));
  const Ran explained = tally({"explain", "a.json", "b.json", "inlined"}, here());
  EXPECT_THAT(explained.out,
              AllOf(HasSubstr("that moved"), HasSubstr("s.toml:9"), HasSubstr("was: std::sort(a.begin(), a.end());")));
  const Ran program = tally({"explain", "a.json", "b.json", "inlined", "--json"}, here());
  const json::Value first = json::parse(program.out).value_or(json::Value())["cases"][0]["lines"][0];
  EXPECT_EQ(first["line"], std::uint64_t{9}) << program.out;
  EXPECT_EQ(first["text_before"], "std::sort(a.begin(), a.end());");
  EXPECT_EQ(tally({"report", "b.json", "a.json", "-o", "page.html"}, here()).code, 0);
  EXPECT_THAT(read_file(folder_->path() / "page.html").value_or(""), HasSubstr("\"lines\":\""));
}

TEST_F(Lines, CountsAreTheSameWithAndWithout) {
  Ran ran;
  const Record with = record_of({"run", (folder_->path() / "s.toml").string(), "--counts-only"}, ran);
  run("r.json");
  const auto text = read_file(folder_->path() / "r.json");
  ASSERT_TRUE(text);
  const auto without = record_from_json(*text, "r.json");
  ASSERT_TRUE(without);
  for (const char* label : {"inlined", "apart"}) {
    EXPECT_EQ(case_of(with, label, "cpp").counts->per_iteration, case_of(*without, label, "cpp").counts->per_iteration);
  }
}

}  // namespace
}  // namespace tally::cli_test
