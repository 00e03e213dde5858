#include "cli/table_command.h"

#include "files.h"
#include "json/text.h"

namespace tally::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

CaseRecord case_of(const std::string& language, int n, double count) {
  CaseRecord one = example_case("sum [" + language + " n=" + std::to_string(n) + "]", count);
  one.label = {"sum"};
  one.language = language;
  one.params = {{"n", std::to_string(n)}};
  return one;
}

class TableCommand : public Files {
 protected:
  void SetUp() override {
    for (const int n : {4, 64, 1024}) {
      cases_.push_back(case_of("python", n, 1000.0 + 50 * n));
      cases_.push_back(case_of("cpp", n, 20.0 + n));
    }
    options.record = record("a.json", cases_);
  }
  int table() {
    out.str("");
    err.str("");
    return run_table({}, options, out, err);
  }
  TableCommandOptions options;
  std::vector<CaseRecord> cases_;
};

TEST_F(TableCommand, PutsNumbersSideBySideByItself) {
  EXPECT_EQ(table(), 0);
  EXPECT_EQ(out.str(),
            "instructions per iteration\n"
            "\n"
            "label  language    n=4   n=64  n=1024  complexity  residual\n"
            "sum    python    1,200  4,200  52,200  O(n)               0\n"
            "sum    cpp          24     84   1,044  O(n)               0\n");
  EXPECT_THAT(err.str(), IsEmpty());
}

TEST_F(TableCommand, TakesSeveralAxesInOneWordOrInSeveral) {
  options.columns = {"language, n"};
  EXPECT_EQ(table(), 0);
  EXPECT_THAT(out.str(), HasSubstr("label  python n=4  python n=64  python n=1024  cpp n=4"));
  const std::string together = out.str();
  options.columns = {"language", "n"};
  EXPECT_EQ(table(), 0);
  EXPECT_EQ(out.str(), together);
}

TEST_F(TableCommand, WritesWhatTheOthersWrite) {
  options.json = true;
  options.csv = path("table.csv");
  options.markdown = path("table.md");
  EXPECT_EQ(table(), 0);
  const Result<json::Value> parsed = json::parse(out.str());
  ASSERT_TRUE(parsed);
  EXPECT_EQ((*parsed)["metric"].text_or(""), "instructions");
  EXPECT_THAT(read("table.csv"), StartsWith("label,language,n=4,n=64,n=1024,complexity,residual\nsum,python,1200,"));
  EXPECT_THAT(read("table.md"), HasSubstr("| sum | python | 1,200 |"));
  options.json = false;
  options.csv = "-";
  EXPECT_EQ(table(), 0);
  EXPECT_THAT(out.str(), StartsWith("label,language"));
}

TEST_F(TableCommand, RefusesWhatNoCaseHasWithPlaceAndHint) {
  options.columns = {"m"};
  EXPECT_EQ(table(), 2);
  EXPECT_EQ(err.str(),
            "tally table: " + options.record +
                ": no case has an axis 'm'; did you mean 'n'? there are label, language (python, cpp), runtime "
                "(eager), autograd (forward), threads (1), n (4, 64, 1024)\n");
  EXPECT_THAT(out.str(), IsEmpty());
  options.columns = {"n"};
  options.metric = "cycles";
  EXPECT_EQ(table(), 2);
  EXPECT_THAT(err.str(), HasSubstr("no case has a value of 'cycles'; measure with --cache-sim"));
  options.record = path("none.json");
  EXPECT_EQ(table(), 2);
  EXPECT_THAT(err.str(), HasSubstr("none.json"));
}

}  // namespace
}  // namespace tally::cli
