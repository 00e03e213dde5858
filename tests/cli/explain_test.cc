// `tally explain`: what a change is made of, and what a time is that does not follow its count.
#include "harness.h"
#include "programs.h"

namespace tally::cli_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Explain : public testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_->path() / name).string(); }
  /// A record of the program, with a profile of each case.
  [[nodiscard]] std::string measured(const Program& program, const std::string& name) const {
    std::string path = file(name);
    const Ran ran =
        tally({"run", "--program", program.path(), "--profiles", "--min-run-time", "0.1", "--quiet", "--json", path});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return path;
  }

 private:
  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_F(Explain, NamesFunctionsThatAreCalledMoreOften) {
  const Program before({.source = "two_versions", .name = "bench"});
  const Program after({.source = "two_versions", .name = "bench", .define = "NEWER"});
  const std::string base = measured(before, "base.json");
  const std::string next = measured(after, "next.json");
  const Ran ran = tally({"explain", base, next});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("bench/common [cpp]: slower, cause: code"),
                             testing::ContainsRegex("instructions +1,008 +1,508 +\\+500 +\\+50 %"),
                             HasSubstr("1 of 1 function that moved has 100 % of all movement"),
                             testing::ContainsRegex("\\+500 +statement\n +\\+500 +.anonymous.::spend")));
  const Ran unknown = tally({"explain", base, next, "no such case"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("no case 'no such case'; its cases are: bench/"));
  const Ran alone = tally({"explain", base, next, "only new"});
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, HasSubstr("the base has no case 'bench/only new [cpp]'; name one that both records have"));
}

/// A branch that cannot be foreseen takes longer than the instructions that do without it.
TEST_F(Explain, SaysWhichEventsMakeATimeThatTheCountDoesNot) {
  const Program before({.source = "branches", .name = "bench"});
  const Program after({.source = "branches", .name = "bench", .define = "FORESEEN"});
  const std::string base = measured(before, "base.json");
  const std::string next = measured(after, "next.json");
  const Ran first = tally({"explain", base, next});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, AllOf(HasSubstr("count and time disagree: more instructions, and faster"),
                               HasSubstr("which events explain the time: --again")));
  const Ran same = tally({"explain", base, next, "--again", before.path()});
  EXPECT_EQ(same.code, 2);
  EXPECT_THAT(same.err, HasSubstr("--again: both sides would be the same; say how"));
  const Ran ran = tally(
      {"explain", base, next, "--again", before.path(), "--b-program", after.path(), "--markdown", file("why.md")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::ContainsRegex("-(9[0-9]|10[0-9]),[0-9]+  mispredicted branches \\(Bcm\\): (9|10),"));
  EXPECT_THAT(read_file(file("why.md")).value(), HasSubstr("| mispredicted branches (Bcm) |"));
  const Ran other =
      tally({"explain", base, next, "--again", before.path(), "--b-program", after.path(), "--", "--exclude", "none"});
  EXPECT_EQ(other.code, 2) << "programs with arguments that the record's had not";
  EXPECT_THAT(other.err, HasSubstr("its definition is not the one that the record has"));
  const Ran swapped = tally({"explain", base, next, "--again", after.path(), "--b-program", before.path()});
  EXPECT_EQ(swapped.code, 2);
  EXPECT_THAT(swapped.err, HasSubstr("is not the one that the record was measured in"));
}

}  // namespace
}  // namespace tally::cli_test
