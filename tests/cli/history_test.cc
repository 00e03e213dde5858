#include <algorithm>
#include <chrono>
#include <filesystem>

#include "counted_functions.h"
#include "git/generated.h"
#include "harness.h"
#include "json/text.h"
#include "record/example_record.h"
#include "record/json.h"

namespace tally::cli_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Two functions in a header, which execute as many instructions as a commit says.
struct HistoryTest : testing::Test {
  HistoryTest() { repository.write("suite.toml", suite_of_functions(".", {"sum", "other"})); }

  std::string commit(const std::string& title, int sum, int other = 1000) {
    repository.write("work.h", "#pragma once\n" + function_of("sum", sum) + function_of("other", other));
    return repository.commit(title);
  }

  /// Measures what is checked out and adds it.
  void measure(const std::string& name) const {
    const std::string record = (records->path() / (name + ".json")).string();
    const Ran run = tally({"run", repository.path("suite.toml"), "--counts-only", "--quiet", "--json", record});
    ASSERT_EQ(run.code, 0) << run.err;
    const Ran added = tally({"history", "add", record, "--store", store()});
    ASSERT_EQ(added.code, 0) << added.err;
    EXPECT_THAT(added.out, HasSubstr("/runs/suite.toml/"));
  }

  [[nodiscard]] Ran history(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "history");
    arguments.insert(arguments.end(), {"--store", store(), "--repository", repository.top()});
    return tally(arguments);
  }

  [[nodiscard]] std::string store() const { return (records->path() / "history").string(); }

  git_test::GeneratedRepository repository;
  Result<TemporaryFolder> records = TemporaryFolder::make();
};

json::Value parsed(const Ran& ran) {
  auto value = json::parse(ran.out);
  EXPECT_TRUE(value) << ran.out << ran.err;
  return value ? *value : json::Value();
}

TEST_F(HistoryTest, EveryPlantedChangeIsOfItsCommitOrOfTheRangeThatNobodyMeasured) {
  const std::string first = commit("Begin", 10000);
  measure("first");
  const std::string same = commit("Write a comment", 10000);
  measure("same");
  const std::string slower = commit("Check each element", 12000, 900);
  measure("slower");
  const std::string skipped = commit("Rename nothing", 12000, 900);
  const std::string faster = commit("Check no element", 10000, 900);
  measure("faster");
  // A branch that is not merged is on another line.
  repository.git({"checkout", "--quiet", "-b", "aside"});
  commit("Try something", 50000);
  measure("aside");
  repository.git({"checkout", "--quiet", "main"});

  const Ran log = history({"log", "--json"});
  EXPECT_EQ(log.code, 0);
  EXPECT_THAT(log.err, HasSubstr("1 of commits that are not on this line"));
  const json::Value commits = parsed(log)["commits"];
  ASSERT_EQ(commits.size(), 4);
  EXPECT_EQ(*commits[std::size_t{0}]["commit"].text(), faster);
  EXPECT_EQ(commits[std::size_t{2}]["changes"].size(), 0);
  EXPECT_EQ(*commits[std::size_t{3}]["commit"].text(), first);

  const json::Value& planted = commits[std::size_t{1}]["changes"];
  EXPECT_EQ(*commits[std::size_t{1}]["commit"].text(), slower);
  EXPECT_EQ(*commits[std::size_t{1}]["author"].text(), "Ada");
  ASSERT_EQ(planted.size(), 2);
  EXPECT_THAT(*planted[std::size_t{0}]["id"].text(), HasSubstr("sum"));
  EXPECT_EQ(planted[std::size_t{0}]["before"].number(), 10000);
  EXPECT_EQ(planted[std::size_t{0}]["after"].number(), 12000);
  EXPECT_THAT(json::texts_of(planted[std::size_t{0}]["candidates"]), ElementsAre(slower));
  EXPECT_EQ(*planted[std::size_t{0}]["acknowledged"].flag(), false);
  EXPECT_EQ(*planted[std::size_t{1}]["acknowledged"].flag(), true);  // It became faster.

  const json::Value& back = commits[std::size_t{0}]["changes"];
  ASSERT_EQ(back.size(), 1);
  EXPECT_THAT(json::texts_of(back[std::size_t{0}]["candidates"]), ElementsAre(skipped, faster));

  const Ran text = history({"log"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("Check each element"), HasSubstr("+20 %"), HasSubstr("one of 2 commits"),
                              Not(HasSubstr("Try something")),
                              HasSubstr("4 commits of 5 measured: 3 changes, 1 unacknowledged")));
  EXPECT_THAT(text.out, Not(HasSubstr("Write a comment")));
  EXPECT_THAT(history({"log", "--all"}).out, HasSubstr("Write a comment"));
  EXPECT_THAT(history({"log", "--csv"}).out, HasSubstr(slower + ",Ada,Check each element,1,sum"));
  EXPECT_EQ(parsed(history({"log", "--json", "--tip", same}))["commits"].size(), 2);
}

TEST_F(HistoryTest, WhatWasAgreedToIsNoFinding) {
  commit("Begin", 10000);
  measure("first");
  const std::string slower = commit("Check each element", 12000);
  measure("slower");
  const Ran open = history({"log", "--fail-on", "unacknowledged"});
  EXPECT_EQ(open.code, 3);
  const auto ledger = [&](const std::string& up_to, const std::string& more) {
    repository.write("tally-accept.toml", "[[accept]]\ncase = \"sum*\"\nmetric = \"instructions\"\nup_to = \"" + up_to +
                                              "\"\nreason = \"correctness\"\nexpires = 2999-01-01\n" + more);
    return history({"log", "--fail-on", "unacknowledged"});
  };
  EXPECT_EQ(ledger("+10%", "").code, 3);
  EXPECT_EQ(ledger("+25%", "commit = \"0123456\"\n").code, 3);
  const Ran agreed = ledger("+25%", "commit = \"" + slower.substr(0, 10) + "\"\nowner = \"Ada\"\nissue = \"#7\"\n");
  EXPECT_EQ(agreed.code, 0) << agreed.out << agreed.err;
  EXPECT_THAT(agreed.out, HasSubstr("accepted: correctness"));
  const Ran wrong = ledger("+25%", "commit = \"main\"\n");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("'main' is not a commit's id"));
}

TEST_F(HistoryTest, ChangesBelowTheThresholdAddUp) {
  for (int i = 0; i < 4; ++i) {
    commit("Grow " + std::to_string(i), 10000 + 9 * i);
    measure(std::to_string(i));
  }
  const Ran log = history({"log", "--drift", "0.2", "--fail-on", "unacknowledged"});
  EXPECT_EQ(log.code, 3) << log.out;
  EXPECT_THAT(log.out, AllOf(HasSubstr("drift  +0.27 %  sum"), HasSubstr("Grow 1"), HasSubstr("Grow 3"),
                             HasSubstr("0 changes, 1 unacknowledged")));
  EXPECT_EQ(history({"log", "--fail-on", "unacknowledged"}).code, 0);
}

TEST_F(HistoryTest, OneCaseIsShownPointByPoint) {
  for (const int sum : {1000, 1000, 2000}) {
    commit("Be " + std::to_string(sum), sum);
    measure(std::to_string(sum));
  }
  const Ran shown = history({"show", "sum"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("▁▁█"), HasSubstr("+100 %"), HasSubstr("1 commit with no change")));
  EXPECT_THAT(shown.out, Not(HasSubstr("time")));  // None was taken.
  const json::Value series = parsed(history({"show", "sum", "--json"}));
  ASSERT_EQ(series["points"].size(), 3);
  EXPECT_EQ(series["points"][std::size_t{2}]["instructions"].number(), 2000);
  EXPECT_EQ(history({"show", "nothing"}).code, 2);
}

TEST_F(HistoryTest, ASiteIsWrittenAndWrittenAnewAndNothingElseIsOverwritten) {
  commit("Begin", 1000);
  measure("first");
  const std::string slower = commit("Check <each> element", 2000);
  measure("slower");
  const fs::path folder = records->path() / "site";
  const std::string page = (folder / "index.html").string();
  const auto site = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"site", "-o", folder.string()});
    return history(more);
  };
  const Ran written = site({"--title", "Mill", "--url", "https://example.org/mill"});
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_EQ(written.out, page + "\n");
  EXPECT_THAT(*read_file(page), AllOf(HasSubstr("Mill"), HasSubstr(slower), Not(HasSubstr("<each>"))));
  EXPECT_THAT(*read_file(folder / "badge.svg"), HasSubstr("1 regression"));
  EXPECT_THAT(*read_file(folder / "feed.xml"), HasSubstr("https://example.org/mill/#/commit/" + slower.substr(0, 12)));
  // Of two cases and the page; what a site of before had is gone.
  ASSERT_TRUE(write_file(folder / "data" / "0123456789abcdef.js", "old"));
  EXPECT_EQ(site({}).code, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "data"), {}), 2);

  EXPECT_THAT(site({"--commit-url", "javascript:alert({commit})"}).err, HasSubstr("is not a web address"));
  const Ran foreign = history({"site", "-o", records->path().string()});
  EXPECT_EQ(foreign.code, 2);
  EXPECT_THAT(foreign.err, HasSubstr("is not a site of tally history"));
}

TEST_F(HistoryTest, OnABranchOfTheRepositoryProfilesSayWhichFunctionsMoved) {
  // Not inlined, so that it is a function of its own.
  const auto commit_with = [&](const std::string& title, int nops) {
    repository.write("work.h", "#pragma once\n[[gnu::noinline]] inline void inner() { asm volatile(\".rept " +
                                   std::to_string(nops) +
                                   "\\n nop\\n .endr\"); }\ninline void sum() { inner(); }\ninline void other() {}\n");
    return repository.commit(title);
  };
  const auto profiled = [&](const std::string& name) {
    const std::string record = (records->path() / (name + ".json")).string();
    const Ran run = tally({"run", repository.path("suite.toml"), "--filter", "sum*", "--counts-only", "--quiet",
                           "--profiles", "--json", record});
    ASSERT_EQ(run.code, 0) << run.err;
    const Ran added = tally({"history", "add", record, "--store", "git:measured", "--repository", repository.top()});
    ASSERT_EQ(added.code, 0) << added.err;
  };
  const auto kept = [&] {
    const std::string files = repository.git({"ls-tree", "-r", "--name-only", "measured", "--", "profiles"});
    return std::ranges::count(files, '\n') + (files.empty() ? 0 : 1);
  };
  (void)commit_with("Begin", 1000);
  profiled("first");
  const std::string slower = commit_with("Check each element", 1200);
  profiled("slower");
  EXPECT_EQ(kept(), 2);
  for (const char* title : {"Say more", "Say more still"}) {
    // Compiled anew, so a profile that names another file.
    repository.write("work.h", read_file(repository.path("work.h")).value() + "// " + title + "\n");
    (void)repository.commit(title);
    profiled(title);
    EXPECT_EQ(kept(), 3) << title;  // Both sides of the change, and the last one.
  }

  const auto output_of = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "history");
    arguments.insert(arguments.end(), {"--store", "git:measured", "--repository", repository.top()});
    return tally(arguments);
  };
  const Ran log = output_of({"log", "--functions"});
  EXPECT_EQ(log.code, 0) << log.err;
  EXPECT_THAT(log.out, AllOf(HasSubstr("inner"), HasSubstr("+200"), Not(HasSubstr("is not known"))));
  const json::Value commits = parsed(output_of({"log", "--functions", "--json"}))["commits"];
  EXPECT_EQ(*commits[std::size_t{2}]["commit"].text(), slower);
  const json::Value& function = commits[std::size_t{2}]["changes"][std::size_t{0}]["functions"][std::size_t{0}];
  EXPECT_THAT(*function["name"].text(), HasSubstr("inner"));
  EXPECT_EQ(function["after"].number().value() - function["before"].number().value(), 200);
  EXPECT_EQ(repository.git({"status", "--porcelain"}), "");
}

/// Records in which a benchmark reports what a commit says, and nothing is counted.
struct ValuesTest : HistoryTest {
  void add_run(double value) {
    repository.write("work.h", std::to_string(value));
    Record record = example_record();
    record.suite = "suite.toml";
    record.source->commit = repository.commit("Come to " + std::to_string(value));
    record.source->dirty = false;
    record.cases = {example_case("track_depth", 0)};
    record.cases[0].counts.reset();
    record.cases[0].wall.reset();
    record.cases[0].reported = Reported{.value = value, .unit = "levels"};
    const std::string file = (records->path() / "value.json").string();
    ASSERT_TRUE(write_file(file, to_json(record)));
    ASSERT_EQ(tally({"history", "add", file, "--store", store()}).code, 0);
  }
};

/// Two programs of one suite, each in a record of its own.
TEST_F(ValuesTest, TwoRunsOfOneCommitAreFollowedCaseByCase) {
  for (const double value : {40.0, 80.0}) {
    add_run(value);
    Record other = example_record();
    other.suite = "suite.toml";
    other.source->commit = repository.git({"rev-parse", "HEAD"});
    other.source->dirty = false;
    other.cases = {example_case("another", 1000)};
    other.started = "2027-01-01T10:00:00Z";
    const std::string file = (records->path() / "other.json").string();
    ASSERT_TRUE(write_file(file, to_json(other)));
    ASSERT_EQ(tally({"history", "add", file, "--store", store()}).code, 0);
  }
  const Ran worse = history({"log", "--fail-on", "unacknowledged"});
  EXPECT_EQ(worse.code, 3) << worse.out;
  EXPECT_THAT(worse.out,
              AllOf(HasSubstr("track_depth  40 levels → 80 levels\n"), HasSubstr("judged 2 of 2 cases by 1 limits")));
  EXPECT_THAT(worse.err, HasSubstr("2 beside a later run of the same commit"));
}

TEST_F(ValuesTest, WhatABenchmarkReportsIsJudgedAndAgreedTo) {
  add_run(40);
  add_run(40);
  const std::vector<std::string> gate = {"log", "--fail-on", "unacknowledged"};
  const Ran same = history(gate);
  EXPECT_EQ(same.code, 0) << same.out;
  EXPECT_THAT(same.out, HasSubstr("judged 1 of 1 cases by 1 limits"));
  add_run(50);
  const Ran worse = history(gate);
  EXPECT_EQ(worse.code, 3) << worse.out;
  EXPECT_THAT(worse.out, HasSubstr("+25 %  track_depth  40 levels → 50 levels\n"));
  EXPECT_THAT(history({"show", "track_depth"}).out, AllOf(HasSubstr("value"), HasSubstr("50 levels")));
  EXPECT_THAT(history({"show", "track_depth", "--csv"}).out, HasSubstr(",,,true,,value,50,levels\n"));
  const json::Value point = parsed(history({"show", "track_depth", "--json"}))["points"][std::size_t{2}];
  EXPECT_EQ(point["value"].number(), 50);
  EXPECT_EQ(*point["change"]["metric"].text(), "value");
  EXPECT_EQ(*point["change"]["unit"].text(), "levels");
  EXPECT_THAT(history({"log", "--csv"}).out, HasSubstr(",40,50,0.25,false,value,,\n"));

  const Ran agreed = history({"accept", "track_depth", "--up-to", "+30%", "--reason", "a new level"});
  EXPECT_EQ(agreed.code, 0) << agreed.err;
  EXPECT_THAT(agreed.out, HasSubstr(" of its value"));
  EXPECT_EQ(history(gate).code, 0);
}

/// Records that say they measured so many commits; the second case takes 10 % longer from the sixteenth on.
struct TimesTest : HistoryTest {
  void add_runs(std::size_t runs) {
    for (std::size_t i = 0; i < runs; ++i) {
      repository.write("work.h", std::to_string(i));
      commits.push_back(repository.commit("Be number " + std::to_string(i)));
      Record record = example_record();
      record.suite = "suite.toml";
      record.source->commit = commits.back();
      record.source->dirty = false;
      record.cases = {example_case("steady"), example_case("slower")};
      for (std::size_t j = 0; j < 2; ++j) {
        const double jitter = 1 + 0.001 * static_cast<double>((i * 7 + j * 3) % 11);
        record.cases[j].wall->median_s = 2e-6 * jitter * (j == 1 && i >= 15 ? 1.1 : 1);
      }
      ASSERT_TRUE(write_file(records->path() / (std::to_string(i) + ".json"), to_json(record)));
    }
    ASSERT_EQ(tally({"history", "import", records->path().string(), "--store", store()}).code, 0);
  }

  std::vector<std::string> commits;
};

TEST_F(TimesTest, AreNominatedAndAreNoFindings) {
  add_runs(30);
  const Ran log = history({"log", "--fail-on", "unacknowledged"});
  EXPECT_EQ(log.code, 0) << log.err;
  EXPECT_THAT(log.out, AllOf(HasSubstr("Be number 15"), HasSubstr("    time  +"), HasSubstr("  slower  2.01 µs → "),
                             HasSubstr("1 change of time nominated, 0 provisional; tally ab"),
                             Not(HasSubstr("Be number 14")), Not(HasSubstr("steady"))));
  const json::Value commit = parsed(history({"log", "--json"}))["commits"][std::size_t{14}];
  ASSERT_EQ(commit["time_steps"].size(), 1);
  const json::Value& step = commit["time_steps"][std::size_t{0}];
  EXPECT_EQ(*step["id"].text(), "slower");
  EXPECT_NEAR(step["change"].number().value_or(0), 0.1, 0.005);
  EXPECT_LT(step["p_value"].number().value_or(1), 0.001);
  EXPECT_EQ(*step["provisional"].flag(), false);
  EXPECT_THAT(json::texts_of(step["candidates"]), ElementsAre(commits[15]));
  EXPECT_THAT(history({"log", "--csv"}).out, HasSubstr(commits[15] + ",Ada,Be number 15,1,slower,"));

  const Ran shown = history({"show", "slower"});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("Be number 15"), HasSubstr("change of it"), HasSubstr("(p "),
                               HasSubstr("28 commits with no change")));
  const json::Value points = parsed(history({"show", "slower", "--json"}))["points"];
  EXPECT_EQ(*points[std::size_t{15}]["time_step"]["id"].text(), "slower");
  EXPECT_EQ(points[std::size_t{14}]["time_step"].size(), 0);
}

TEST_F(TimesTest, ANewOneIsProvisional) {
  add_runs(18);
  EXPECT_THAT(history({"log"}).out, HasSubstr("1 change of time nominated, 1 provisional"));
}

/// hyperfine's results of so many commits; the command takes 10 % longer from the sixteenth on.
TEST_F(HistoryTest, ResultsOfAnotherToolAreRuns) {
  const std::string results = (records->path() / "results.json").string();
  const std::vector<std::string> import = {"import", "--format", "hyperfine", "--suite", "app", results};
  for (std::size_t i = 0; i < 24; ++i) {
    repository.write("work.h", std::to_string(i));
    (void)repository.commit("Be number " + std::to_string(i));
    std::string times;
    for (std::size_t j = 0; j < 10; ++j) {
      const double jitter = 1 + 0.001 * static_cast<double>((i * 7 + j * 3) % 11);
      times += (j == 0 ? "" : ", ") + std::to_string(0.1 * jitter * (i >= 15 ? 1.1 : 1));
    }
    ASSERT_TRUE(write_file(results, R"({"results": [{"command": "app /x", "times": [)" + times + "]}]}"));
    std::vector<std::string> at_commit = import;
    at_commit.insert(at_commit.end(), {"--commit", "HEAD"});
    const Ran added = history(at_commit);
    ASSERT_EQ(added.code, 0) << added.err;
    EXPECT_THAT(added.out, AllOf(HasSubstr("/runs/app/"), HasSubstr(": 1 case\n")));
    EXPECT_THAT(history(at_commit).out, HasSubstr("(there already)"));
  }
  const Ran log = history({"log"});
  EXPECT_THAT(log.out, AllOf(HasSubstr("Be number 15"), HasSubstr("1 change of time nominated")));
  const Ran shown = history({"show", "app /x"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("app /x [command]"), HasSubstr("Be number 15"), HasSubstr("Be number 0"),
                               HasSubstr("22 commits with no change"), Not(HasSubstr("instructions"))));
  EXPECT_THAT(history({"show", "app /x", "--json"}).err, HasSubstr("it has times"));

  const Ran unknown = history(import);
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("do not say which commit"), HasSubstr("add --commit REV")));
  const Ran other = history({"import", "--format", "pyperf", "--commit", "HEAD", results});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, AllOf(HasSubstr("results.json"), HasSubstr("pyperf's -o")));
  EXPECT_EQ(history({"import", "--format", "hyperfine", "--commit", "no-such-commit", results}).code, 2);
  EXPECT_EQ(history({"import", "--format", "asv", (records->path() / "history").string() + "/none"}).code, 2);
}

TEST_F(HistoryTest, ResultsOfCriterionFromBeforeTheCommitAreLeftOut) {
  namespace fs = std::filesystem;
  commit("Begin", 1000);
  const fs::path criterion = records->path() / "criterion";
  for (const std::string name : {"fresh", "stale"}) {
    const fs::path folder = criterion / name / "new";
    fs::create_directories(folder);
    ASSERT_TRUE(write_file(folder / "benchmark.json", "{\"full_id\": \"" + name + "\"}"));
    ASSERT_TRUE(write_file(folder / "sample.json", R"({"iters": [1], "times": [5]})"));
    if (name == "fresh") continue;
    for (const char* file : {"benchmark.json", "sample.json"})
      fs::last_write_time(folder / file, fs::file_time_type::clock::now() - std::chrono::minutes(10));
  }
  const std::vector<std::string> import = {"import", "--format", "criterion", "--commit", "HEAD", criterion.string()};
  const Ran fresh = history(import);
  EXPECT_EQ(fresh.code, 0) << fresh.err;
  EXPECT_THAT(fresh.out, HasSubstr(": 1 case\n"));
  EXPECT_THAT(fresh.err, AllOf(HasSubstr("left out: "), HasSubstr("criterion/stale/new: written at "),
                               HasSubstr(", before the commit; --stale takes it\n")));
  std::vector<std::string> all = import;
  all.emplace_back("--stale");
  EXPECT_THAT(history(all).out, HasSubstr(": 2 cases\n"));
}

TEST_F(HistoryTest, ARecordIsExported) {
  const std::string record = (records->path() / "record.json").string();
  ASSERT_TRUE(write_file(record, to_json(example_record())));
  const Ran bencher = tally({"export", "--format", "bencher", record});
  EXPECT_EQ(bencher.code, 0) << bencher.err;
  EXPECT_THAT(bencher.out, HasSubstr("\"instructions\""));
  EXPECT_THAT(bencher.err, HasSubstr("1 of 2 cases failed"));
  for (const char* format : {"google-benchmark", "hyperfine"}) {
    const Ran exported = tally({"export", "--format", format, record});
    EXPECT_EQ(exported.code, 0) << exported.err;
    EXPECT_THAT(exported.out, AllOf(HasSubstr("\"instructions\""), Not(HasSubstr(example_record().cases[1].id)),
                                    Not(HasSubstr("error_occurred"))));
    EXPECT_THAT(exported.err, HasSubstr("1 of 2 cases failed"));
  }
  // A value alone is none of Google Benchmark's figures, and a device's none of Bencher's.
  Record mixed = example_record();
  mixed.cases = {example_case("counted", 1000), example_case("valued", 1000), example_case("on_device", 1000)};
  for (CaseRecord* one : {&mixed.cases[1], &mixed.cases[2]}) {
    one->counts.reset();
    one->wall.reset();
  }
  mixed.cases[1].reported = Reported{.value = 7, .unit = "levels"};
  mixed.cases[2].on_device = OnDevice{.name = "cuda"};
  ASSERT_TRUE(write_file(record + ".mixed", to_json(mixed)));
  for (const auto& [format, without] : {std::pair("google-benchmark", "2"), std::pair("bencher", "1"),
                                        std::pair("github-action-benchmark", "1"), std::pair("hyperfine", "2")}) {
    const Ran exported = tally({"export", "--format", format, record + ".mixed"});
    EXPECT_EQ(exported.code, 0) << exported.err;
    EXPECT_THAT(exported.out, AllOf(HasSubstr("1000"), Not(HasSubstr("on_device")), Not(HasSubstr("{}"))));
    EXPECT_THAT(exported.err, HasSubstr(std::string(without) + " of 3 cases have no figure that " + format +
                                        " knows, and are left out\n"));
  }
  mixed.cases.erase(mixed.cases.begin());
  ASSERT_TRUE(write_file(record + ".mixed", to_json(mixed)));
  const Ran nobody = tally({"export", "--format", "google-benchmark", record + ".mixed"});
  EXPECT_EQ(nobody.code, 2);
  EXPECT_THAT(nobody.err, HasSubstr("no case of it has a figure that google-benchmark knows"));
  EXPECT_EQ(tally({"export", "--format", "csv", record, "-o", record + ".csv"}).code, 0);
  EXPECT_THAT(read_file(record + ".csv").value(), HasSubstr("instructions_per_iteration"));
  EXPECT_EQ(tally({"export", "--format", "codspeed", record}).code, 2);
  Record nothing = example_record();
  std::erase_if(nothing.cases, [](const CaseRecord& one) { return one.status == CaseStatus::ok; });
  ASSERT_TRUE(write_file(record, to_json(nothing)));
  EXPECT_EQ(tally({"export", "--format", "bencher", record}).code, 2);
}

TEST_F(HistoryTest, WhatIsNoRecordOfACommitIsRefused) {
  const Ran none = history({"log"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, AllOf(HasSubstr("tally history: "), HasSubstr("HEAD")));
  commit("Begin", 1000);
  EXPECT_THAT(history({"log"}).err, HasSubstr("there is no history"));
  EXPECT_EQ(tally({"history"}).code, 2);
  measure("first");
  repository.write("work.h", "#pragma once\ninline void sum() {}\ninline void other() {}\n");
  const std::string dirty = (records->path() / "dirty.json").string();
  ASSERT_EQ(tally({"run", repository.path("suite.toml"), "--counts-only", "--quiet", "--json", dirty}).code, 0);
  const Ran refused = tally({"history", "add", dirty, "--store", store()});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("measured changes that are not in commit"));

  ASSERT_TRUE(write_file(records->path() / "stray.json", "{}"));
  const Ran imported = tally({"history", "import", records->path().string(), "--store", store()});
  EXPECT_EQ(imported.code, 0);
  EXPECT_THAT(imported.out, HasSubstr("0 added, 2 there already, 2 left out"));
  EXPECT_THAT(imported.err, AllOf(HasSubstr("stray.json"), HasSubstr("dirty.json")));
}

}  // namespace
}  // namespace tally::cli_test
