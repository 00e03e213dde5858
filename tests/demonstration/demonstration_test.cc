/// Real one-line slowdowns, in a C++ library and in a Python module: measured, found, confirmed and explained by the
/// built command. docs/guides/demonstration.md has the same story with the output.
#include "harness.h"
#include "record/example_counts.h"

namespace tally::cli_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Demonstration : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_->path() / name).string(); }

  std::string write(const std::string& name, const std::string& text) {
    EXPECT_TRUE(write_file(folder_->path() / name, text));
    return path(name);
  }

  Ran tally_in_folder(std::vector<std::string> arguments, EnvironmentVariables more = {}) {
    How how;
    how.folder = folder_->path().string();
    how.more = std::move(more);
    return tally(std::move(arguments), how);
  }

  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

/// A copy of examples/mylib in two states: as it is, and with a checked access in the inner loop.
class Library : public Demonstration {
 protected:
  const std::string fast_line = "diagonal = row[j + 1];";
  const std::string slow_line = "diagonal = row.at(j + 1);";

  void SetUp() override {
    fs::copy(TALLY_SOURCE_DIR "/examples/mylib/include", path("include"), fs::copy_options::recursive);
    fs::copy(TALLY_SOURCE_DIR "/examples/mylib/suite.toml", path("suite.toml"));
  }

  void build(bool slow, const std::string& folder = "build") {
    std::string source = *read_file(TALLY_SOURCE_DIR "/examples/mylib/src/mylib.cc");
    const std::size_t at = source.find(fast_line);
    ASSERT_NE(at, std::string::npos);
    if (slow) source.replace(at, fast_line.size(), slow_line);
    fs::create_directories(path(folder));
    RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
    ProcessRequest request;
    request.argv = {"/usr/bin/clang++-19",
                    "-std=c++17",
                    "-O2",
                    "-g1",
                    "-gdwarf-4",
                    "-shared",
                    "-fPIC",
                    "-Iinclude",
                    "-o",
                    folder + "/libmylib.so",
                    write("mylib.cc", source)};
    request.environment = {{"PATH", "/usr/bin:/bin"}};
    request.working_folder = folder_->path().string();
    const ProcessResult built = run(runner, std::move(request));
    ASSERT_TRUE(succeeded(built)) << built.err.text();
  }

  Ran measure(const std::string& record) {
    return tally_in_folder({"run", "suite.toml", "--counts-only", "--profiles", "-q", "--json", record, "--filter",
                            "length=64", "--filter", "split_words"});
  }
};

TEST_F(Library, ASlowLineIsFoundConfirmedAndExplained) {
  build(false);
  ASSERT_EQ(measure("base.json").code, 0);
  build(true);
  const Ran ran = measure("new.json");
  ASSERT_EQ(ran.code, 0) << ran.err;

  const Ran found = tally_in_folder({"check", "base.json", "new.json"});
  EXPECT_EQ(found.code, 3) << found.err;
  EXPECT_THAT(found.out, HasSubstr("regression: mylib/distance [cpp length=64]"));
  EXPECT_THAT(found.out, Not(HasSubstr("regression: mylib/split_words")));

  const Ran confirmed = tally_in_folder({"check", "base.json", "new.json", "--confirm", "suite.toml"});
  EXPECT_EQ(confirmed.code, 3) << confirmed.err;
  EXPECT_THAT(confirmed.err, HasSubstr("measuring 1 suspected case again"));

  const Ran explained = tally_in_folder({"compare", "base.json", "new.json", "--functions", "--top", "1"});
  EXPECT_EQ(explained.code, 0);
  EXPECT_THAT(explained.out, testing::ContainsRegex("\\+[0-9,]+ +[0-9,]+ +[0-9,]+ +1 +libmylib.so +mylib::distance"));

  const Ran why = tally_in_folder({"explain", "base.json", "new.json", "distance"});
  EXPECT_THAT(why.out, testing::ContainsRegex("\\+[0-9,]+ +[0-9,]+ +[0-9,]+ +mylib.cc:[0-9]+ +diagonal = row.at"));
  EXPECT_THAT(why.out, HasSubstr("was: " + fast_line));
}

TEST_F(Library, ASuspicionThatDoesNotRepeatIsNoRegression) {
  build(false);
  ASSERT_EQ(measure("base.json").code, 0);
  auto record = record_from_json(*read_file(path("base.json")), "base.json");
  ASSERT_TRUE(record);
  for (CaseRecord& one : record->cases) scale_count(*one.counts, 1.5);
  write("new.json", to_json(*record));
  EXPECT_EQ(tally_in_folder({"check", "base.json", "new.json"}).code, 3);
  const Ran confirmed = tally_in_folder({"check", "base.json", "new.json", "--confirm", "suite.toml"});
  EXPECT_EQ(confirmed.code, 0) << confirmed.out << confirmed.err;
  EXPECT_THAT(confirmed.err, HasSubstr("measuring 2 suspected cases again"));

  // A second measurement of another library says nothing about the first.
  build(true);
  const Ran other = tally_in_folder({"check", "base.json", "new.json", "--confirm", "suite.toml"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("the subject of mylib [cpp] is not the one"));
}

TEST_F(Library, TwoToolchainsInTurns) {
  build(false);
  build(true, "slow");
  write("both.toml", *read_file(path("suite.toml")) + R"(
[toolchain.slow]
extends = "cpp"
include = ["include"]
prelude = ["mylib/mylib.h"]
link = ["slow/libmylib.so"]
preload = ["slow/libmylib.so"]
subject = ["slow/libmylib.so"]
)");
  const Ran ran =
      tally_in_folder({"ab", "both.toml", "--a-toolchain", "mylib", "--b-toolchain", "slow", "--counts-only",
                       "--filter", "length=64", "--filter", "split_words", "--functions", "--json-a", "a.json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("1 slower, 1 same"));
  EXPECT_THAT(ran.out, HasSubstr("mylib::distance"));
  EXPECT_THAT(ran.err, HasSubstr("round 2 of 2, B"));
  const auto record = record_from_json(*read_file(path("a.json")), "a.json");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->settings.repeat, 2);
  for (const CaseRecord& one : record->cases) EXPECT_GE(one.counts->replicates.size(), 4U) << one.id;

  EXPECT_EQ(tally_in_folder({"ab", "both.toml"}).code, 2);
  const Ran unknown = tally_in_folder({"ab", "both.toml", "--a-toolchain", "mylib", "--b-toolchain", "absent"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("absent"));
}

TEST_F(Demonstration, ASlowLineOfPythonIsFoundAndItsFunctionNamed) {
  write("old/ledger.py", "def total(amounts):\n    return sum(amounts)\n");
  write("new/ledger.py", "def total(amounts):\n    return sum(round(a, 2) for a in amounts)\n");
  write("suite.toml", R"(schema = 1

[[benchmark]]
label = ["ledger", "total"]
py = 'ledger.total(amounts)'
setup = { py = '''
import ledger
amounts = [n / 7 for n in range(50)]
''' }
)");
  for (const std::string version : {"old", "new"}) {
    const Ran ran = tally_in_folder({"run", "suite.toml", "--python", "/usr/bin/python3", "--counts-only", "--profiles",
                                     "-q", "--json", version + ".json"},
                                    {{"PYTHONPATH", path(version)}});
    ASSERT_EQ(ran.code, 0) << ran.err;
  }
  EXPECT_EQ(tally_in_folder({"check", "old.json", "new.json"}).code, 3);
  const Ran explained = tally_in_folder({"compare", "old.json", "new.json", "--functions", "--top", "8"});
  EXPECT_EQ(explained.code, 0);
  // Rounding goes through the shortest decimal form and back; neither was called before.
  // From 3.13 on Python keeps their names to itself, and what it keeps is one row.
  if (explained.out.find("_Py_dg_") == std::string::npos) {
    EXPECT_THAT(explained.out,
                testing::ContainsRegex("[+][0-9,]+ +[0-9,]+ +[0-9,]+ +[^ ]+ → [^ ]+ +python3[.]1[3-9] +[?]{3}"));
  } else {
    EXPECT_THAT(explained.out, testing::ContainsRegex(" 0 +[0-9,]+ +0 → 50 +python3[.0-9]* +_Py_dg_dtoa"));
    EXPECT_THAT(explained.out, testing::ContainsRegex(" 0 +[0-9,]+ +0 → 50 +python3[.0-9]* +_Py_dg_strtod"));
  }
  EXPECT_THAT(explained.out, testing::ContainsRegex("[+][0-9,]+ +0 +[0-9,]+ +0 → 52 +Python +ledger[.]total.*genexpr.* "
                                                    "[(]ledger[.]py:2[)]"));
  EXPECT_THAT(explained.out, HasSubstr("ledger.total (ledger.py:1)"));
  // What it makes anew names the line.
  EXPECT_THAT(explained.out, HasSubstr("from total (ledger.py:2)"));
}

}  // namespace
}  // namespace tally::cli_test
