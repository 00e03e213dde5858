/// Where memory comes from: known programs, to the byte.
#include "harness.h"
#include "json/text.h"

namespace tally::cli_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSuite = R"(schema = 1
[setup.two]
cpp = '''
struct Owner { static __attribute__((noinline)) void fill(unsigned n) { std::vector<double> a(n); tally::keep(a.data()); } };
'''
py = '''
def text(n):
    return bytes(n)
'''
[[benchmark]]
label = ["known"]
setup = "two"
cpp = "{ Owner::fill(10); std::vector<int> b(32); tally::keep(b.data());@CPP@ }"
py = '''
x = text(100)
y = [None] * 100@PY@
'''
)";

class AllocationsTest : public ::testing::Test {
 protected:
  std::string measure(const std::string& name, const std::string& more_cpp, const std::string& more_py) {
    std::string text = kSuite;
    text.replace(text.find("@CPP@"), 5, more_cpp);
    text.replace(text.find("@PY@"), 4, more_py);
    const fs::path suite = folder_->path() / (name + ".toml");
    EXPECT_TRUE(write_file(suite, text));
    const std::string record = folder_->path() / (name + ".json");
    const Ran ran = tally({"run", suite.string(), "--counts-only", "--profiles", "--json", record});
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    return record;
  }
  static std::string sites(const std::string& record, const std::string& language) {
    const Ran ran = tally({"profile", "--memory", record + "#*[[]" + language + "]"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  }
  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_F(AllocationsTest, KnownOnesAreCountedToTheByteAndTheOneAddedIsNamed) {
  const std::string before = measure("before", "", "");
  const std::string again = measure("before", "", "");
  const std::string cpp = sites(before, "cpp");
  EXPECT_THAT(cpp, HasSubstr("          1    128  malloc  statement"));
  EXPECT_THAT(cpp, HasSubstr("          1     80  malloc  statement::Owner::fill  statement"));
  EXPECT_EQ(std::ranges::count(cpp, '\n'), 3) << cpp;
  const std::string python = sites(before, "python");
  // The interpreter may have no symbols: bytes and the Python place are known in any case.
  EXPECT_THAT(python, HasSubstr("    133  python  "));  // a header of 33 bytes, and the text
  EXPECT_THAT(python, HasSubstr("text (before.toml:8)"));
  EXPECT_THAT(python, HasSubstr("    800  python  "));
  EXPECT_EQ(cpp, sites(again, "cpp"));
  EXPECT_EQ(python, sites(again, "python"));

  const std::string after = measure("after", " Owner::fill(8); tally::keep(b.data());", "\nz = text(50)");
  const Ran compared = tally({"compare", before, after, "--json"});
  const auto json = json::parse(compared.out);
  ASSERT_TRUE(json) << compared.out;
  std::vector<std::string> changes;
  for (const json::Value& one : *(*json)["cases"].array()) {
    if (one["allocations"].array() == nullptr) continue;
    for (const json::Value& site : *one["allocations"].array()) changes.push_back(*site["text"].text());
  }
  EXPECT_THAT(changes, ::testing::UnorderedElementsAre(
                           "+1 allocation of 64 B in statement::Owner::fill from statement",
                           ::testing::AllOf(::testing::StartsWith("+1 Python allocation of 83 B in "),
                                            ::testing::EndsWith(" from text (after.toml:8)"))));
}

/// What is given back meanwhile, what there was before, and what an iteration before held are no part of it.
TEST_F(AllocationsTest, TheHeapPeakIsWhatAStatementHoldsAtOnce) {
  const fs::path suite = folder_->path() / "s.toml";
  ASSERT_TRUE(write_file(suite, R"(schema = 1
[[benchmark]]
label = ["peak"]
setup.cpp = "std::vector<char> before(10'000'000);"
cpp = """
for (int i = 0; i < 3; ++i) { std::vector<char> a(1000); tally::keep(a.data()); }
std::vector<char> b(2000); tally::keep(b.data());
{ std::vector<char> c(5000); tally::keep(c.data()); }
void* d = std::realloc(std::malloc(300), 4000); tally::keep(d); std::free(d);
before.clear(); before.shrink_to_fit();"""
[[benchmark]]
label = ["none"]
cpp = "tally::keep(1);"
)"));
  std::vector<double> peaks;
  for (const char* name : {"a.json", "b.json"}) {
    const std::string path = folder_->path() / name;
    const Ran ran = tally({"run", suite.string(), "--counts-only", "--profiles", "--heap-peak", "--json", path});
    ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
    const auto record = record_from_json(read_file(path).value(), path);
    ASSERT_TRUE(record);
    for (const CaseRecord& one : record->cases) {
      EXPECT_THAT(one.warnings, ::testing::Not(::testing::Contains(HasSubstr("heap"))));
      peaks.push_back(one.counts->heap_peak.value_or(-1));
    }
  }
  EXPECT_THAT(peaks, ::testing::ElementsAre(7000, 0, 7000, 0));
  const Ran alone = tally({"run", suite.string(), "--counts-only", "--heap-peak"});
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--heap-peak"));
  EXPECT_THAT(alone.err, HasSubstr("--profiles"));
}

TEST_F(AllocationsTest, WhatFailsWhereTheyAreRecordedCostsTheCaseAWarning) {
  const fs::path suite = folder_->path() / "s.toml";
  ASSERT_TRUE(write_file(suite,
                         "schema = 1\n[[benchmark]]\nlabel = ['a']\npy = '''\nimport os\n"
                         "if 'TALLY_ALLOCATION_SITES' in os.environ: raise ValueError('here')\n'''\n"));
  const std::string path = folder_->path() / "r.json";
  ASSERT_EQ(tally({"run", suite.string(), "--counts-only", "--profiles", "--json", path}).code, 0);
  const auto record = record_from_json(read_file(path).value(), path);
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->cases[0].counts);
  ASSERT_EQ(record->cases[0].warnings.size(), 1);
  EXPECT_THAT(record->cases[0].warnings[0],
              HasSubstr("where it allocates is not known: ValueError: here (" + suite.string() + ":6)"));
}

TEST_F(AllocationsTest, ACaseWithoutThemIsOneClearError) {
  const fs::path suite = folder_->path() / "s.toml";
  ASSERT_TRUE(write_file(suite, "schema = 1\n[[benchmark]]\nlabel = ['a']\npy = 'None'\n"));
  const std::string record = folder_->path() / "r.json";
  ASSERT_EQ(tally({"run", suite.string(), "--counts-only", "--json", record}).code, 0);
  const Ran ran = tally({"profile", "--memory", record + "#a"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("measure with tally run --profiles"));
}

}  // namespace
}  // namespace tally::cli_test
