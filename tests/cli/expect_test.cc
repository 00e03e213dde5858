/// `tally run --expect`: a run is held against a record, to the instruction.
#include "harness.h"

namespace tally::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ExpectTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryFolder::make();
    ASSERT_TRUE(made);
    folder_.emplace(*std::move(made));
    write("sums.toml", "sum(x)");
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_->path() / name; }
  void write(const std::string& name, const std::string& statement) const {
    ASSERT_TRUE(write_file(path(name), fmt::format(R"toml(schema = 1
[defaults]
iterations = 10
[[benchmark]]
label = "sum"
py = "{}"
setup = {{ py = "x = list(range(100))" }}
[[benchmark]]
label = "sorted"
py = "sorted(x)"
setup = {{ py = "x = list(range(100))" }}
)toml",
                                                   statement)));
  }
  [[nodiscard]] Ran run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"run"});
    arguments.insert(arguments.end(), {"--counts-only", "--quiet"});
    return tally(arguments, {.folder = folder_->path()});
  }
  static std::string last_line(const std::string& text) {
    const std::size_t begin = text.rfind('\n', text.size() - 2);
    return text.substr(begin == std::string::npos ? 0 : begin + 1);
  }

  std::optional<TemporaryFolder> folder_;
};

TEST_F(ExpectTest, WhatReadsTheSameIsReportedInALineAndWhatDoesNotIsNamed) {
  ASSERT_EQ(run({"sums.toml", "--json", "base.json"}).code, 0);
  const Ran same = run({"sums.toml", "--expect", "base.json"});
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  EXPECT_EQ(last_line(same.out), "2 of 2 equal to base.json\n");
  const Ran part = run({"sums.toml", "--expect", "base.json", "--filter", "sum*", "--json", "-"});
  EXPECT_EQ(part.code, 0);
  EXPECT_EQ(last_line(part.err), "1 of 1 equal to base.json (1 of its cases were not measured)\n");

  // One more instruction of the interpreter's, of the same definition.
  auto text = read_file(path("base.json"));
  ASSERT_TRUE(text);
  Record base = *record_from_json(*text, "base.json");
  Counts& counts = *base.cases.at(0).counts;
  for (std::uint64_t& one : counts.replicates) one += 10;
  counts.per_iteration += 1;
  if (counts.denoised) *counts.denoised += 1;
  ASSERT_TRUE(write_file(path("moved.json"), to_json(base)));
  const Ran moved = run({"sums.toml", "--expect", "moved.json"});
  EXPECT_EQ(moved.code, 3) << moved.out << moved.err;
  EXPECT_THAT(moved.out, HasSubstr("1 of 2 equal to moved.json\n  sum [python]: "));

  write("other.toml", "sum(x, 1)");
  const Ran redefined = run({"other.toml", "--expect", "base.json"});
  EXPECT_EQ(redefined.code, 2) << redefined.out << redefined.err;
  EXPECT_THAT(redefined.out, HasSubstr("sum [python]: its definition is another"));
}

TEST_F(ExpectTest, OfAFolderTheRecordOfTheSameCodeIsTaken) {
  ASSERT_EQ(run({"sums.toml", "--json", "right.json"}).code, 0);
  fs::create_directory(path("references"));
  Record record = *record_from_json(*read_file(path("right.json")), "right.json");
  auto& facts = record.environments.begin()->second.facts;
  facts["python"] = "2.7";
  facts["valgrind"] = "3.0";
  facts["mapped.a library.so"] = "1";
  ASSERT_TRUE(write_file(path("references/a.json"), to_json(record)));
  const Ran other = run({"sums.toml", "--expect", "references"});
  EXPECT_EQ(other.code, 2) << other.out << other.err;
  EXPECT_THAT(other.out,
              HasSubstr("nothing expected: no record in references is of this code; references/a.json is the "
                        "nearest, of which 3 differ:\n  python: 2.7 → "));
  EXPECT_EQ(last_line(other.out), "2 of 2 counts are equal all the same\n");
  // The processor is no code.
  record = *record_from_json(*read_file(path("right.json")), "right.json");
  (*record.environments.begin()->second.machine)["cpu"] = "another one";
  ASSERT_TRUE(write_file(path("references/b.json"), to_json(record)));
  ASSERT_EQ(std::system(fmt::format("zstd --quiet --rm '{}'", path("references/b.json")).c_str()), 0);
  const Ran right = run({"sums.toml", "--expect", "references"});
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  EXPECT_EQ(last_line(right.out), "2 of 2 equal to references/b.json.zst\n");
  write("other.toml", "sum(x, 1)");
  EXPECT_EQ(run({suite("known_work"), "--expect", "references"}).code, 2);
}

TEST_F(ExpectTest, WhatCannotBeExpectedIsRefusedBeforeAnythingRuns) {
  const Ran none = run({"sums.toml", "--expect", "none.json"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, StartsWith("tally: error: none.json: "));
  ASSERT_TRUE(write_file(path("bad.json.zst"),
                         "\x28\xb5\x2f\xfd"
                         "junk"));
  const Ran bad = run({"sums.toml", "--expect", "bad.json.zst"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, StartsWith("tally: error: bad.json.zst: "));
  fs::create_directory(path("empty"));
  EXPECT_EQ(run({"sums.toml", "--expect", "empty"}).code, 2);
  const Ran times = tally({"run", "sums.toml", "--wall-only", "--expect", "empty"}, {.folder = folder_->path()});
  EXPECT_EQ(times.code, 2);
}

}  // namespace
}  // namespace tally::cli_test
