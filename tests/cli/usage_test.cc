#include "harness.h"

namespace tally::cli_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::vector<std::string> kCommands = {
    "init", "run",   "list",   "plan",    "toolchains", "time",   "command", "compare", "explain", "check",   "table",
    "ab",   "merge", "submit", "profile", "report",     "export", "trace",   "serve",   "doctor",  "history", "bisect"};

TEST(Usage, EveryCommandHelpsAndTheVersionIsPrinted) {
  const Ran help = tally({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const std::string& command : kCommands) {
    EXPECT_THAT(help.out, HasSubstr("  " + command));
    const Ran own = tally({command, "--help"});
    EXPECT_EQ(own.code, 0) << command;
    EXPECT_THAT(own.out, HasSubstr("Usage: tally " + command)) << command;
  }
  for (const char* heading : {"\nMeasure:\n", "\nCompare:\n", "\nHistory:\n", "\nMachines:\n", "\nTools:\n"})
    EXPECT_THAT(help.out, HasSubstr(heading));
  EXPECT_THAT(help.out, Not(HasSubstr("Subcommands:"))) << "every command stands under one of our headings";
  EXPECT_THAT(help.out, AllOf(HasSubstr("Exit codes: 0 fine, "), HasSubstr("docs/README.md")));
  const Ran version = tally({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, testing::MatchesRegex("tally [0-9]+\\.[0-9]+\\.[0-9]+.*\n"));
}

TEST(Usage, WhatInitWritesIsReadyToRun) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.has_value());
  const std::string project = folder->path().string();
  EXPECT_THAT(tally({"init", project, "--command"}).out, HasSubstr("next: tally run "));
  EXPECT_EQ(tally({"list", project + "/benchmarks/commands.toml"}).out,
            "list [command]\npack/1 [command level=1]\npack/9 [command level=9]\n");
  EXPECT_EQ(tally({"init", project, "--suite"}).code, 0);
  EXPECT_THAT(tally({"list", project + "/benchmarks/suite.toml"}).out, HasSubstr("Sort/random numbers [cpp n=10]"));
  EXPECT_EQ(tally({"init", project, "--cmake"}).code, 0);
  const auto program = read_file(project + "/benchmarks/benchmarks.cc");
  ASSERT_TRUE(program);
  EXPECT_THAT(*program, HasSubstr("\n  for (auto _ : state) {  // measured\n")) << "indented as one writes it";
  EXPECT_EQ(tally({"init", project, "--command"}).code, 2) << "what is there stays";
}

TEST(Usage, WrongUsageIsTwoAndOnStandardError) {
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{},
                                                {"no-such-command"},
                                                {"run"},
                                                {"run", suite("known_work"), "--no-such-option"},
                                                {"run", suite("known_work"), "--counts-only", "--wall-only"},
                                                {"run", suite("known_work"), "--shard", "3/2"},
                                                {"run", suite("known_work"), "--balance", "r.json"},
                                                {"merge", "no-such.json", "-o", "all.json"},
                                                {"submit", suite("known_work"), "--parts", "2", "--json", "all.json"},
                                                {"submit", "--slurm", suite("known_work"), "--json", "all.json"},
                                                {"run", suite("known_work"), "--memory", "lots"},
                                                {"run", suite("known_work"), "--profiles"},
                                                {"run", suite("known_work"), "--filter", "nothing of this name"},
                                                {"run", suite("known_work"), "--json", "/"},
                                                {"run", suite("known_work"), "--cores", "0-"}}) {
    const Ran ran = tally(wrong);
    EXPECT_EQ(ran.code, 2) << testing::PrintToString(wrong) << ran.err;
    EXPECT_EQ(ran.out, "") << testing::PrintToString(wrong);
    EXPECT_NE(ran.err, "") << testing::PrintToString(wrong);
  }
}

TEST(Usage, AnUnknownCommandIsNamedWithTheNearest) {
  const Ran ran = tally({"comapre", "a.json"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, "tally: error: 'comapre' is no command; did you mean 'compare'?\n");
  EXPECT_THAT(tally({"frobnicate"}).err, HasSubstr("'frobnicate' is no command; "));
}

TEST(Usage, EveryMistakeIsOneLineWithItsHint) {
  const std::string one = suite("known_work");
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"run", one, "--jsn", "x"}, "`tally run` has no option '--jsn'; did you mean '--json'?"},
      {{"run", one, "--rounds", "3"}, "`tally run` has no option '--rounds'; --rounds belongs to `tally ab`"},
      {{"trace", "record", "--full-names"},
       "`tally trace record` has no option '--full-names'; --full-names belongs to `tally trace FILE`"},
      {{"trace", "diff", "a", "b", "--runs=3"},
       "`tally trace diff` has no option '--runs'; --runs belongs to `tally trace record`"},
      {{"trace", "diff", "a", "b", "--jsn"}, "`tally trace diff` has no option '--jsn'; did you mean '--json'?"},
      {{"run", one, "--zzz=1"}, "`tally run` has no option '--zzz'; see `tally run --help`"},
      {{"completions", "zhs"}, "`tally completions`: shell: 'zhs' is none of bash, zsh, fish; did you mean 'zsh'?"},
      {{"run", one, "--color", "alwys"},
       "`tally run`: --color: 'alwys' is none of auto, always, never; did you mean 'always'?"},
      {{"history", "shw"}, "`tally history` does not expect 'shw'; did you mean 'show'?"},
      {{"history", "frobnicate"}, "`tally history` does not expect 'frobnicate'; see `tally history --help`"},
      {{"plan", one, "another"}, "`tally plan` does not expect 'another'; see `tally plan --help`"},
      {{"run"}, "nothing to measure; name a suite's file, or a program with --program EXE"},
      {{"run", one, "--cxx", "/no/such", "--filter", "language=cpp"},
       "no C++ compiler works for toolchain 'cpp'; tried:\n  /no/such: not found"},
  };
  for (const auto& [arguments, line] : mistakes) {
    const Ran ran = tally(arguments);
    EXPECT_EQ(ran.code, 2) << line;
    EXPECT_THAT(ran.err, StartsWith("tally: error: " + line));
  }
  EXPECT_THAT(tally({}).err, StartsWith("tally: error: no command is given; there are init, run, time, "));
}

TEST(Usage, HelpIsACommandToo) {
  EXPECT_EQ(tally({"help"}).out, tally({"--help"}).out);
  const Ran run = tally({"help", "run"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out, tally({"run", "--help"}).out);
  EXPECT_EQ(tally({"help", "frob"}).code, 2);
}

TEST(Usage, PlanAndListAreGolden) {
  expect_golden("cli/list.txt", tally({"list", suite("known_work")}).out);
  expect_golden("cli/plan.txt", tally({"plan", suite("known_work")}).out);
}

TEST(Usage, TheCacheIsShownAndOnlyClearedOnRequest) {
  EXPECT_THAT(tally({"cache"}).out, AllOf(HasSubstr("\nbuilds "), HasSubstr("\nimages of hosts ")));
  EXPECT_EQ(tally({"cache", "clean"}).code, 2);
  EXPECT_EQ(tally({"cache", "--json", "--images"}).code, 2);
  const Ran wrong = tally({"time", "1", "-l", "python", "--counts-only", "--images", "2X"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(
      wrong.err,
      "tally: error: --images (or TALLY_IMAGES): '2X' is not an amount of memory; write a size such as 500M or 2G, "
      "or write off\n");
}

TEST(Usage, ToolchainsAreGoldenAndPrintedAsTheyAre) {
  expect_golden("cli/toolchains.txt", tally({"toolchains"}).out);
  const Ran torch = tally({"toolchains", "torch", "--as", "mine"});
  EXPECT_EQ(torch.code, 0);
  EXPECT_THAT(torch.out, HasSubstr("\n[toolchain.mine]\nextends = \"cpp\"\n"));
  EXPECT_THAT(torch.out, Not(HasSubstr("schema")));
  const Ran unknown = tally({"toolchains", "tortch"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.err, "tally: error: unknown toolchain 'tortch'; did you mean 'torch'?\n");
}

TEST(Usage, ARecordOnStandardOutputIsNothingButARecord) {
  const Ran ran = tally({"run", suite("known_work"), "--filter", "empty", "--counts-only", "--json", "-"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(record_from_json(ran.out, "standard output"));
  EXPECT_THAT(ran.err, HasSubstr("[2/2] ok empty"));
  EXPECT_EQ(tally({"run", suite("known_work"), "--filter", "empty", "--counts-only", "--quiet"}).err, "");
}

/// Versions, paths and CPUs are this machine's; that there is one of each is not.
std::string without_this_machine(std::string text) {
  text = masked(text, "/[^ ,)\n]+", "PATH");
  text = masked(text, "[0-9]+(\\.[0-9]+)+[^ ,)\n]*", "VERSION");
  text = masked(text, "images of hosts( +)[^\n]*", "images of hosts$1IMAGES");
  text = masked(text, "Debian clang version VERSION[^\n]* \\(PATH\\)", "COMPILER");
  return masked(text, "CPUs( +)[0-9,-]+ \\([0-9]+ cores\\)", "CPUs$1LIST (N cores)");
}

TEST(Usage, ReservedCpusAreLeftToOthers) {
  const Ran one = tally({"time", "tally::keep(1);", "--wall-only", "--cores", "0,1", "--reserve-cpus", "1", "-v",
                         "--max-run-time", "0.01"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_NE(one.err.find("(CPU 1)"), std::string::npos) << one.err;
  const Ran none = tally({"time", "tally::keep(1);", "--cores", "0", "--reserve-cpus", "1"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("--reserve-cpus 1 leaves none of the CPUs 0"), std::string::npos) << none.err;
}

TEST(Usage, DoctorFindsWhatSetupInstalled) {
  const Ran ran = tally({"doctor"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  expect_golden("cli/doctor.txt", without_this_machine(ran.out));
}

TEST(Usage, DoctorMissesNoCompilerWherePythonCanBeMeasured) {
  const Ran ran = tally({"doctor"}, {.more = {{"PATH", "/nonexistent"}}});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  for (const char* line :
       {"\nabsent   C++ (cpp, python)        no C++ compiler works", "\nok       Python (cpp, python)  "})
    EXPECT_NE(ran.out.find(line), std::string::npos) << line << " in\n" << ran.out;
  EXPECT_EQ(ran.out.find("MISSING"), std::string::npos) << ran.out;
}

TEST(Usage, DoctorSaysWhatCountsFollowFromHere) {
  const Ran here = tally({"doctor", "--machine"});
  EXPECT_EQ(here.code, 0) << here.err;
  for (const char* said : {"counting", "cpu.offered", "cpp [cpp]\n", "  compiler ", "python [python]\n", "  python "})
    EXPECT_NE(here.out.find(said), std::string::npos) << said << " in\n" << here.out;
  EXPECT_EQ(here.out.find("PYTHONPATH is set"), std::string::npos) << here.out;
  const Ran warned = tally({"doctor", "--machine"}, {.more = {{"PYTHONPATH", "/usr/share/nothing"}}});
  EXPECT_NE(warned.out.find("PYTHONPATH is set (/usr/share/nothing)"), std::string::npos) << warned.out;
}

TEST(Usage, ATimedStatementIsGolden) {
  const Ran counted =
      tally({"time", "asm volatile(\".rept 100\\n\\tnop\\n\\t.endr\");", "--counts-only", "-n", "10", "-q"});
  EXPECT_EQ(counted.code, 0) << counted.err;
  expect_golden("cli/time_counts.txt", masked(counted.out, "; [0-9.]+ s\n", "; # s\n"));
  const Ran timed = tally({"time", "sum(range(1000))", "-l", "python", "--wall-only", "-q", "--min-run-time", "0.01",
                           "--max-run-time", "0.01"});
  EXPECT_EQ(timed.code, 0) << timed.err;
  // How long it took, how well, and what the times say of themselves: all of it is the machine's.
  std::string text = masked(timed.out, " +[0-9.]+ (n|µ|m)?s +[0-9.]+ %  ok[^\n]*", " TIME  IQR  ok");
  text = masked(text, "; [0-9.]+ s\n", "; # s\n");
  expect_golden("cli/time_wall.txt", masked(text, " +(instr/iter|spread|median|IQR|status)", " $1"));
}

}  // namespace
}  // namespace tally::cli_test
