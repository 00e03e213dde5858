// Benchmark programs in suites, as the sides of `tally ab`, and measured again by `tally check`.
#include <algorithm>
#include <cstdlib>

#include "harness.h"
#include "programs.h"
#include "record/example_counts.h"

namespace tally::cli_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The two versions, in folders of their own.
class ProgramSuite : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    older_ = new Program({.source = "two_versions", .name = "bench"});
    newer_ = new Program({.source = "two_versions", .name = "bench", .define = "NEWER"});
    renamed_ = new Program({.source = "two_versions", .name = "bench-2.0", .define = "NEWER"});
  }
  static void TearDownTestSuite() {
    delete older_;
    delete newer_;
    delete renamed_;
  }
  std::string write(const std::string& text) {
    const std::string path = (folder_->path() / "suite.toml").string();
    EXPECT_TRUE(write_file(path, text));
    return path;
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_->path() / name).string(); }
  static std::string table(const Program& program, const std::string& more = {}) {
    return "[[program]]\npath = \"" + program.path() + "\"\n" + more;
  }
  static std::vector<std::string> quickly(std::vector<std::string> arguments) {
    arguments.insert(std::ranges::find(arguments, "--"), {"--counts-only", "-n", "10", "--quiet"});
    return arguments;
  }

  static Program* older_;
  static Program* newer_;
  static Program* renamed_;

 private:
  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

Program* ProgramSuite::older_ = nullptr;
Program* ProgramSuite::newer_ = nullptr;
Program* ProgramSuite::renamed_ = nullptr;

double count_of(const Record& record, const std::string& id) {
  const CaseRecord& one = case_with(record, id);
  EXPECT_EQ(one.status, CaseStatus::ok) << id << (one.failure ? one.failure->message : "");
  return one.counts ? one.counts->per_iteration : -1;
}

TEST_F(ProgramSuite, StandBesideStatementsAndEachOther) {
  const std::string path =
      write("schema = 1\n[[benchmark]]\nlabel = 'nops'\ncpp = 'asm volatile(\".rept 10\\nnop\\n.endr\");'\n" +
            table(*older_, "args = [\"3\"]\nfilter = [\"common\", \"unchanged\"]\ntags = [\"three\"]\n") +
            table(*newer_, "name = \"newer\"\n"));
  Ran ran;
  const Record record = record_of(quickly({"run", path}), ran);
  EXPECT_EQ(ran.code, 0) << ran.err;
  ASSERT_EQ(record.cases.size(), 6U);
  EXPECT_NEAR(count_of(record, "nops [cpp]"), 10, 1);
  EXPECT_NEAR(count_of(record, "bench/unchanged [cpp]"), 100, 1);
  const double three = count_of(record, "bench/common [cpp]");
  EXPECT_GT(three, 3003) << "the argument reaches the host";
  EXPECT_LT(three, 3050);
  EXPECT_NEAR(count_of(record, "newer/only new [cpp]"), 1502, 2);
  EXPECT_EQ(case_with(record, "bench/common [cpp]").tags, std::vector<std::string>{"three"});
  EXPECT_EQ(record.environments.size(), 3U);
  // A part of the suite, and its arguments' length, change nothing.
  const std::string longer =
      write("schema = 1\n" + table(*older_, "args = [\"3\", \"" + std::string(3000, 'x') + "\"]\n"));
  const Record part = record_of(quickly({"run", longer, "--filter", "bench/common [cpp]"}), ran);
  EXPECT_EQ(case_with(part, "bench/common [cpp]").counts->replicates,
            case_with(record, "bench/common [cpp]").counts->replicates);
  EXPECT_EQ(case_with(part, "bench/common [cpp]").counts->baseline_replicates,
            case_with(record, "bench/common [cpp]").counts->baseline_replicates);
}

TEST_F(ProgramSuite, ArePlannedWithoutBeingMeasured) {
  const std::string path = write("schema = 1\n" + table(*older_, "args = \"3\"\nexclude = \"only\"\n"));
  EXPECT_EQ(tally({"list", path}).out, "bench/unchanged [cpp]\nbench/common [cpp]\n");
  EXPECT_THAT(tally({"plan", path}).out,
              AllOf(HasSubstr("  program:\n    " + older_->path() + " 3\n  benchmark:\n    common\n"),
                    HasSubstr("2 cases, 0 C++ snippets, 0 artifacts, 1 program\n")));
  EXPECT_THAT(tally({"plan", path, "--json"}).out, HasSubstr("\"path\": \"" + older_->path() + "\""));
  EXPECT_THAT(tally({"list", older_->path()}).err, HasSubstr("is a program and no suite; write --program /"));
  const std::filesystem::path folder = std::filesystem::path(older_->path()).parent_path();
  EXPECT_THAT(tally({"list", folder}).err, HasSubstr("is no suite (.toml); write --pytest /"));
  EXPECT_THAT(tally({"list", folder / "work.py"}).err, HasSubstr("or --script /"));
  EXPECT_EQ(tally({"list", "--program", older_->path()}).out,
            "bench/unchanged [cpp]\nbench/common [cpp]\nbench/only old [cpp]\n");
}

/// The doors lead to the same case: a suite's record and a program's are compared as one.
TEST_F(ProgramSuite, HasTheDefinitionsThatTheProgramAloneHas) {
  Ran ran;
  const Record alone = record_of(quickly({"run", "--program", older_->path()}), ran);
  const Record in_suite = record_of(quickly({"run", write("schema = 1\n" + table(*older_))}), ran);
  ASSERT_EQ(alone.cases.size(), 3U);
  for (std::size_t i = 0; i < alone.cases.size(); ++i) {
    EXPECT_EQ(in_suite.cases[i].id, alone.cases[i].id);
    EXPECT_EQ(in_suite.cases[i].definition, alone.cases[i].definition);
    EXPECT_EQ(in_suite.cases[i].counts->replicates, alone.cases[i].counts->replicates);
  }
  EXPECT_EQ(in_suite.fingerprint, alone.fingerprint);
}

TEST_F(ProgramSuite, MistakesAreReportedWithTheirPlace) {
  const auto wrong = [&](const std::string& text) {
    const Ran ran = tally({"run", write("schema = 1\n" + text), "--counts-only"});
    EXPECT_EQ(ran.code, 2) << text;
    return ran.err;
  };
  EXPECT_THAT(wrong("[[program]]\npath = \"/bin/true\"\n"),
              HasSubstr("suite.toml:3:8: /bin/true is not a benchmark program: it lists no benchmarks"));
  EXPECT_THAT(wrong("[[program]]\npath = \"none\"\n"), HasSubstr("/none cannot be run: No such file or directory"));
  EXPECT_THAT(wrong(table(*older_, "filter = \"commno\"\n")), HasSubstr("suite.toml:4:10: no case matches 'commno'"));
  EXPECT_THAT(wrong(table(*older_) + table(*newer_)), HasSubstr("suite.toml:4:1: two programs are called 'bench'"));
}

TEST_F(ProgramSuite, TwoProgramsAreTheSidesOfAComparison) {
  const Ran ran = tally(quickly({"ab", "--a-program", older_->path(), "--b-program", newer_->path(), "--functions",
                                 "--rounds", "1", "--json-a", file("a.json"), "--json-b", file("b.json")}));
  EXPECT_EQ(ran.code, 0) << ran.err << "what one side lacks is reported, and no failure";
  EXPECT_THAT(ran.out, AllOf(HasSubstr("1 gone, 1 slower, 1 new, 1 same"), HasSubstr("bench/common [cpp]")));
  EXPECT_THAT(ran.out, testing::ContainsRegex("\\+500 +1,001 +1,501 +1 +bench +.anonymous.::spend"));
  EXPECT_EQ(record_from_json(*read_file(file("a.json")), "a")->cases.size(), 3U);
  // A filter may mean what one side alone has, as long as there is something to compare.
  const auto ab = [&](const std::vector<std::string>& filters) {
    std::vector<std::string> arguments =
        quickly({"ab", "--a-program", older_->path(), "--b-program", newer_->path(), "--rounds", "1"});
    for (const std::string& filter : filters) arguments.insert(arguments.end(), {"--filter", filter});
    return tally(arguments);
  };
  EXPECT_THAT(ab({"common", "only new"}).out, HasSubstr("1 slower, 1 new"));
  EXPECT_THAT(ab({"only"}).err, HasSubstr("the two sides have no case in common"));
  EXPECT_THAT(ab({"neither"}).err, HasSubstr("no case matches 'neither'"));
}

/// Ids are those of B, and the functions of both files are one.
TEST_F(ProgramSuite, ProgramsOfTwoNamesAreCompared) {
  const Ran ran = tally(
      quickly({"ab", "--a-program", older_->path(), "--b-program", renamed_->path(), "--functions", "--rounds", "1"}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("bench-2.0/common [cpp]"));
  EXPECT_THAT(ran.out, testing::ContainsRegex("\\+500 +1,001 +1,501 +1 +bench-2.0 +.anonymous.::spend"));
}

TEST_F(ProgramSuite, ASideReplacesTheOnlyProgramOfASuite) {
  const std::string one = write("schema = 1\n[[benchmark]]\nlabel = 'nops'\ncpp = 'asm volatile(\"nop\");'\n" +
                                table(*older_, "exclude = \"only\"\n"));
  const Ran ran = tally(quickly({"ab", one, "--b-program", renamed_->path(), "--rounds", "1", "--all"}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("1 slower, 2 same"), HasSubstr("nops"), HasSubstr("bench / common")));
  const auto wrong = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"ab"});
    const Ran refused = tally(quickly(std::move(more)));
    EXPECT_EQ(refused.code, 2) << refused.err;
    return refused.err;
  };
  EXPECT_THAT(wrong({one, "--b-program", renamed_->path(), "--same-result"}), HasSubstr("--same-result: "));
  EXPECT_THAT(wrong({"--b-program", renamed_->path()}), HasSubstr("a program for each side"));
  EXPECT_THAT(wrong({suite("known_work"), "--b-program", renamed_->path()}), HasSubstr("which names none"));
  const std::string only = write("schema = 1\n" + table(*older_));
  EXPECT_THAT(wrong({only, "--a-cxx", "g++"}), HasSubstr("programs, which are built already"));
}

/// As for any toolchain; what a program lists may depend on it, too.
TEST_F(ProgramSuite, SidesMayDifferInTheirEnvironment) {
  const std::string one = write("schema = 1\n" + table(*older_));
  const Ran ran = tally(quickly({"ab", one, "--a", "export OMP_ONLY_HERE=1", "--b", "true", "--rounds", "1"}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("1 gone, 3 same"), HasSubstr("bench / only here")));
  Ran run;
  const Record record = record_of(quickly({"run", one, "--env-command", "export OMP_ONLY_HERE=1"}), run);
  EXPECT_NEAR(count_of(record, "bench/only here [cpp]"), 1002, 2);
  const std::string says = write("schema = 1\n" + table(*older_, "environment = { OMP_ONLY_HERE = \"1\" }\n"));
  EXPECT_NEAR(count_of(record_of(quickly({"run", says}), run), "bench/only here [cpp]"), 1002, 2);
}

/// A change that a second measurement shows, too, and one that is only the first's.
TEST_F(ProgramSuite, SuspectsAreMeasuredAgain) {
  Ran ran;
  for (const auto& [name, program] : {std::pair{"base.json", older_}, {"next.json", newer_}}) {
    ran = tally(quickly({"run", "--program", program->path(), "--filter", "common", "--json", file(name)}));
    ASSERT_EQ(ran.code, 0) << ran.err;
  }
  for (const std::string& confirm : {newer_->path(), write("schema = 1\n" + table(*newer_))}) {
    ran = tally({"check", file("base.json"), file("next.json"), "--confirm", confirm});
    EXPECT_EQ(ran.code, 3) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("measuring 1 suspected case again"));
  }
  ran = tally({"check", file("base.json"), file("next.json"), "--confirm", older_->path()});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("the subject of program-bench [cpp] is not the one"));
  // The program's own argument is a part of what was measured.
  for (const auto& [name, program] : {std::pair{"base-3.json", older_}, {"next-3.json", newer_}}) {
    ran = tally(quickly({"run", "--program", program->path(), "--filter", "common", "--json", file(name), "--", "3"}));
    ASSERT_EQ(ran.code, 0) << ran.err;
  }
  ran = tally({"check", file("base-3.json"), file("next-3.json"), "--confirm", newer_->path()});
  EXPECT_EQ(ran.code, 2) << ran.out;
  EXPECT_THAT(ran.err, HasSubstr("bench/common [cpp]: its definition is not the one that the record has"));
  ran = tally({"check", file("base-3.json"), file("next-3.json"), "--confirm", newer_->path(), "--", "3"});
  EXPECT_EQ(ran.code, 3) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("(3016"));
  ran = tally({"check", file("base-3.json"), file("next-3.json"), "--", "3"});
  EXPECT_EQ(ran.code, 2) << ran.out;
  EXPECT_THAT(ran.err, HasSubstr("they go with --confirm PROGRAM"));
  std::string doubled = *read_file(file("next.json"));
  auto next = *record_from_json(doubled, "next");
  scale_count(*next.cases[0].counts, 2);
  ASSERT_TRUE(write_file(file("doubled.json"), to_json(next)));
  ran = tally({"check", file("next.json"), file("doubled.json"), "--confirm", newer_->path()});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
}

}  // namespace
}  // namespace tally::cli_test
