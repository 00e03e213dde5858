#include <map>

#include "base/text.h"
#include "harness.h"

namespace tally::cli_test {
namespace {

using testing::HasSubstr;

/// Everything below the table: what a person reads about each case that went wrong.
std::string failures_of(const std::string& out) {
  const std::size_t end_of_table = out.find("\n\n");
  return end_of_table == std::string::npos ? out : masked(out.substr(end_of_table + 2), "; [0-9.]+ s\n", "; # s\n");
}

TEST(Failures, ABrokenInterpreterIsReportedAndWhatStandsInPythonsPlaceIsNamed) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string path = folder->path().string();
  const auto said = [&](const std::string& text) {
    EXPECT_TRUE(write_file(path + "/json.py", text));
    const Ran ran = tally({"time", "pass", "-l", "python", "--wall-only"}, {.more = {{"PYTHONPATH", path}}});
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("repair it or its environment (PYTHONPATH, PYTHONHOME), or name another"));
    return ran.err;
  };
  EXPECT_THAT(said("x = 1\n"), HasSubstr("python3 exited with code 1: " + path +
                                         "/json.py takes the place of Python's own module json"));
  EXPECT_THAT(said("x = = 1\n"),
              HasSubstr("exited with code 1: SyntaxError: invalid syntax (File \"" + path + "/json.py\", line 1)"));
}

TEST(Failures, EachNamesItsPlaceAndTheRestIsMeasured) {
  // Only those that never end have little time: a sound one may take long under Valgrind on a busy machine.
  Ran ran;
  const Record record = record_of(
      {"run", suite("misbehaving"), "--retries", "0", "--min-run-time", "0.01", "--max-run-time", "0.05"}, ran);
  EXPECT_EQ(ran.code, 1) << ran.err;
  expect_golden("cli/misbehaving.txt", failures_of(ran.out));

  using enum CaseStatus;
  const std::map<std::pair<std::string, std::string>, CaseStatus> expected = {{{"first", "cpp"}, ok},
                                                                              {{"does not compile", "cpp"}, failed},
                                                                              {{"segfaults", "cpp"}, crashed},
                                                                              {{"loops for ever", "cpp"}, timeout},
                                                                              {{"exits", "cpp"}, failed},
                                                                              {{"aborts", "cpp"}, crashed},
                                                                              {{"throws", "cpp"}, failed},
                                                                              {{"throws an int", "cpp"}, failed},
                                                                              {{"returns", "cpp"}, failed},
                                                                              {{"breaks", "cpp"}, ok},
                                                                              {{"prints", "cpp"}, ok},
                                                                              {{"setup throws", "cpp"}, failed},
                                                                              {{"setup returns", "cpp"}, failed},
                                                                              {{"raises", "python"}, failed},
                                                                              {{"does not parse", "python"}, failed},
                                                                              {{"segfaults", "python"}, crashed},
                                                                              {{"loops for ever", "python"}, timeout},
                                                                              {{"exits", "python"}, failed},
                                                                              {{"exits at once", "python"}, failed},
                                                                              {{"aborts", "python"}, crashed},
                                                                              {{"returns", "python"}, failed},
                                                                              {{"breaks", "python"}, failed},
                                                                              {{"prints", "python"}, ok},
                                                                              {{"setup raises", "python"}, failed},
                                                                              {{"last", "python"}, ok}};
  ASSERT_EQ(record.cases.size(), expected.size());
  for (const CaseRecord& one : record.cases) {
    EXPECT_EQ(one.status, expected.at({one.label[0], one.language})) << one.id;
    EXPECT_EQ(one.failure.has_value(), one.status != ok) << one.id;
    EXPECT_EQ(one.counts && one.wall, one.status == ok) << one.id;
    // Each was reported on standard error, as it happened.
    EXPECT_THAT(ran.err, HasSubstr(std::string(to_string(one.status)) + " " + one.id));
  }
  // Ten thousand bytes an iteration were printed, and a hundred iterations measured: none of it reached the counts.
  EXPECT_GT(case_of(record, "last", "python").wall->median_s, 0);
}

struct Unreadable {
  std::string name;
  std::string text;
  std::string error;  ///< SUITE stands for the path.
};

class UnreadableSuite : public testing::TestWithParam<Unreadable> {};

TEST_P(UnreadableSuite, IsTwoAndOneLine) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string path = (folder->path() / "suite.toml").string();
  if (GetParam().name != "missing") {
    ASSERT_TRUE(write_file(path, GetParam().text));
  }
  for (const char* command : {"run", "list", "plan"}) {
    const Ran ran = tally({command, path});
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(replace_all(ran.err, path, "SUITE"), GetParam().error);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, UnreadableSuite,
    testing::Values(
        Unreadable{"syntax", "schema = 1\n[[benchmark]\nlabel = [\"a\"]\n",
                   "tally: error: SUITE:2:13: this is not TOML: while reading table header: expected ']', saw '\\n' "
                   "([[benchmark]); write [NAME], or [[NAME]] for one of several\n"},
        Unreadable{"unknown_key", "schema = 1\n[[timer]]\nlabel = [\"a\"]\nlanguage = \"cpp\"\nstpm = ';'\n",
                   "tally: error: SUITE:5:1: unknown key 'stpm' in [[timer]]; did you mean 'stmt'?\n"},
        Unreadable{
            "duplicate_label",
            "schema = 1\n[[timer]]\nlabel = [\"a\"]\nlanguage = \"cpp\"\nstmt = ';'\n[[timer]]\nlabel = "
            "[\"a\"]\nlanguage = \"cpp\"\nstmt = ';'\n",
            "tally: error: SUITE:7:9: label 'a' is used already at SUITE:3:9; choose another label; it names the case "
            "for good\n"},
        Unreadable{"missing", "", "tally: error: SUITE: cannot read the suite: No such file or directory\n"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tally::cli_test
