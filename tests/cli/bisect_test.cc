#include "counted_functions.h"
#include "git/generated.h"
#include "harness.h"
#include "json/text.h"

namespace tally::cli_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// The build writes the header that the suite measures: two functions that execute as many instructions as a commit
/// says. It fails where a commit has a file `broken`, and notes each commit that it built.
constexpr const char* kBuild = R"bash(
if [ -e broken ]; then echo "work.in:1: error: is broken"; exit 1; fi
git rev-parse HEAD >> built.log
read sum other < work.in
{ echo "#pragma once"
  echo "[[gnu::noinline]] inline void sum() { asm volatile(\".rept $sum\\n nop\\n .endr\"); }"
  echo "[[gnu::noinline]] inline void other() { asm volatile(\".rept $other\\n nop\\n .endr\"); }"; } > new.h
mkdir -p generated
cmp -s new.h generated/work.h || cp new.h generated/work.h
)bash";

struct BisectTest : testing::Test {
  BisectTest() { repository.write(".gitignore", "/generated/\n/new.h\n/built.log\n"); }
  /// The repository goes, and so does where its commits were built; other tests have theirs beside it.
  ~BisectTest() override {
    std::error_code ignored;
    for (const auto& room : fs::directory_iterator(How().cache + "/tallymark/commits", ignored)) {
      const auto whose = read_file((room.path() / "tree/.git").string());
      if (whose && whose->find(repository.top() + "/") != std::string::npos) fs::remove_all(room.path(), ignored);
    }
  }
  [[nodiscard]] How here() const { return {.folder = repository.top()}; }

  std::string commit(const std::string& title, int sum, int other = 1000) const {
    repository.write("work.in", std::to_string(sum) + " " + std::to_string(other) + "\n");
    return repository.commit(title);
  }
  /// So many that change nothing that is measured.
  void quiet(int count) const {
    for (int i = 0; i < count; ++i) {
      static int number = 0;
      repository.write("notes", std::to_string(++number));
      std::ignore = repository.commit("Write note " + std::to_string(number));
    }
  }
  void suite_is_there() const { repository.write("suite.toml", suite_of_functions("generated", {"sum", "other"})); }

  [[nodiscard]] std::vector<std::string> arguments(const std::string& good, const std::string& bad,
                                                   std::vector<std::string> more) const {
    std::vector<std::string> all = {"bisect",  good,         bad,       "--build", kBuild,
                                    "--suite", "suite.toml", "--store", store()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  [[nodiscard]] Ran bisect(const std::string& good, const std::string& bad, std::vector<std::string> more = {}) const {
    return tally(arguments(good, bad, std::move(more)), here());
  }
  [[nodiscard]] json::Value found(const std::string& good, const std::string& bad,
                                  std::vector<std::string> more = {}) const {
    more.emplace_back("--json");
    const Ran ran = bisect(good, bad, std::move(more));
    EXPECT_EQ(ran.code, 0) << ran.err;
    auto value = json::parse(ran.out);
    EXPECT_TRUE(value) << ran.out << ran.err;
    return value ? *value : json::Value();
  }
  [[nodiscard]] std::string store() const { return (elsewhere.path() / "history").string(); }

  git_test::GeneratedRepository repository;
  TemporaryFolder elsewhere = TemporaryFolder::make().value();
};

/// "sum TITLE +20", with all titles of a range; percent, rounded.
std::vector<std::string> changes_of(const json::Value& found) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < found["changes"].size(); ++i) {
    const json::Value& one = found["changes"][i];
    std::string text = *one["id"].text();
    text = text.substr(0, text.find(' '));
    for (std::size_t k = 0; k < one["candidates"].size(); ++k) text += " | " + *one["candidates"][k]["title"].text();
    const double percent = one["change"].number().value_or(0) * 100;
    texts.push_back(text + " | " + std::to_string(static_cast<int>(percent + (percent > 0 ? 0.5 : -0.5))));
  }
  return texts;
}

double number(const json::Value& found, const std::string& key) { return found[key].number().value_or(-1); }

TEST_F(BisectTest, OneChangeIn16CommitsTakes6BuildsAndTheSuiteIsTodays) {
  const std::string good = commit("Begin", 10000);
  quiet(10);
  const std::string slower = commit("Check each element", 12000);
  quiet(5);
  suite_is_there();  // Was never committed.
  const Ran ran = bisect(good, "HEAD", {"--top", "1"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("16 commits, 1 of 2 cases changed; 6 builds, 2 measured"),
                    HasSubstr("4 commits were carried forward unmeasured: what was built is another commit's"),
                    HasSubstr(slower.substr(0, 10)), HasSubstr("Ada"), HasSubstr("+20 %"), HasSubstr("10,003 → 12,003"),
                    HasSubstr("sum() +2,000"), HasSubstr("Ada: Check each element"),
                    HasSubstr("What changed and changed back between measured commits is not seen")));
  EXPECT_THAT(ran.err, AllOf(HasSubstr("at most 15 builds left, 4 if one commit did it"), HasSubstr("built files of")));
  EXPECT_THAT(ran.out, Not(HasSubstr("other [cpp]")));
  EXPECT_EQ(repository.git({"status", "--porcelain"}), "?? suite.toml");

  // Everything is in the store.
  const json::Value again = found(good, "HEAD");
  EXPECT_EQ(number(again, "builds"), 0);
  EXPECT_EQ(number(again, "stored"), 6);
  EXPECT_THAT(changes_of(again), ElementsAre("sum | Check each element | 20"));
  // What was carried forward is what measuring it gives.
  const auto count_at = [&](const std::string& commit) {
    const Ran shown = tally({"history", "show", "sum", "--json", "--store", store()}, here());
    const auto points = json::parse(shown.out);
    EXPECT_TRUE(points) << shown.err;
    for (std::size_t i = 0; points && i < (*points)["points"].size(); ++i) {
      const json::Value& point = (*points)["points"][i];
      if (*point["commit"].text() == commit) return point["instructions"].number().value_or(-1);
    }
    return 0.0;
  };
  const std::string carried = repository.git({"rev-parse", "HEAD~6"});
  const double forward = count_at(carried);
  EXPECT_GE(forward, 10003);
  EXPECT_LT(forward, 10004);
  std::error_code code;
  fs::remove_all(store(), code);
  const Ran bridge =
      tally({"history", "bridge", carried, "--build", kBuild, "--suite", "suite.toml", "--store", store()}, here());
  EXPECT_EQ(bridge.code, 0) << bridge.err;
  EXPECT_EQ(count_at(carried), forward);
}

TEST_F(BisectTest, SeveralChangesAreEachOfTheirCommit) {
  suite_is_there();
  const std::string good = commit("Begin", 10000);
  quiet(2);
  commit("Check each element", 12000, 900);
  quiet(2);
  commit("Check fewer", 11000, 900);
  quiet(1);
  const json::Value all = found(good, "HEAD");
  EXPECT_THAT(changes_of(all), ElementsAre("sum | Check each element | 20", "other | Check each element | -10",
                                           "sum | Check fewer | -8"));
  EXPECT_LE(number(all, "builds"), 8);
}

TEST_F(BisectTest, AChangeThatARevertTookBackIsNotSeenButSaid) {
  suite_is_there();
  const std::string good = commit("Begin", 10000);
  commit("Check each element", 12000);
  const std::string slower = repository.git({"rev-parse", "HEAD"});
  repository.git({"revert", "--no-edit", "HEAD"});
  quiet(1);
  const Ran unseen = bisect(good, "HEAD");
  EXPECT_EQ(unseen.code, 1);
  EXPECT_THAT(unseen.out, AllOf(HasSubstr("0 of 2 cases changed; 2 builds"), HasSubstr("is not seen")));
  EXPECT_THAT(changes_of(found(slower, "HEAD")), ElementsAre("sum | Revert \"Check each element\" | -17"));
}

TEST_F(BisectTest, AMergeIsDescendedInto) {
  suite_is_there();
  const std::string good = commit("Begin", 10000);
  repository.git({"checkout", "--quiet", "-b", "aside"});
  quiet(1);
  commit("Check each element", 12000);
  quiet(1);
  repository.git({"checkout", "--quiet", "main"});
  repository.write("elsewhere", "1");
  std::ignore = repository.commit("Meanwhile");
  repository.git({"merge", "--quiet", "--no-ff", "--no-commit", "aside"});
  repository.write("work.in", "12000 1100\n");  // The merge has a change of its own.
  std::ignore = repository.commit("Merge the checks");
  quiet(1);
  const json::Value all = found(good, "HEAD");
  EXPECT_THAT(changes_of(all), ElementsAre("sum | Check each element | 20", "other | Merge the checks | 10"));
  EXPECT_EQ(*all["changes"][std::size_t{0}]["merge"]["title"].text(), "Merge the checks");
  EXPECT_EQ(*all["changes"][std::size_t{1}]["of_merge"].flag(), true);
}

/// As `pip install .` does: nothing of what a case imports is left in the tree.
TEST_F(BisectTest, AChangeThatTheBuildInstallsElsewhereIsFound) {
  const std::string site = elsewhere.path().string() + "/site";
  repository.write("suite.toml",
                   "schema = 1\n[[benchmark]]\nlabel = [\"f\"]\npy = \"installed.f()\"\nsetup = { py = \"import "
                   "installed\" }\n");
  const std::string good = commit("Begin", 100);
  quiet(1);
  commit("Check each element", 1000);
  quiet(1);
  const std::string build = "mkdir -p " + site +
                            "; read n other < work.in; echo \"def f(): return sum(range($n))\" > " + site +
                            "/installed.py";
  How how = here();
  how.more = {{"PYTHONPATH", site}};
  const Ran ran =
      tally({"bisect", good, "HEAD", "--build", build, "--suite", "suite.toml", "--store", store(), "--json"}, how);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Check each element"));
}

TEST_F(BisectTest, WhatCannotBeBuiltIsSkippedAndNamedAsARange) {
  suite_is_there();
  const std::string good = commit("Begin", 10000);
  quiet(1);
  repository.write("broken", "");
  std::ignore = repository.commit("Break it");
  commit("Check each element", 12000);
  fs::remove(repository.path("broken"));
  std::ignore = repository.commit("Mend it");
  quiet(1);
  const Ran ran = bisect(good, "HEAD");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("one of 3"), HasSubstr("2 could not be measured"),
                             HasSubstr("could not be built"), HasSubstr(".log")));
  EXPECT_THAT(ran.err, HasSubstr("work.in:1: error: is broken"));
  EXPECT_THAT(changes_of(found(good, "HEAD")), ElementsAre("sum | Break it | Check each element | Mend it | 20"));
  const Ran end = bisect(good, "HEAD~3");
  EXPECT_EQ(end.code, 1);
  EXPECT_THAT(end.err, AllOf(HasSubstr("Break it"), HasSubstr("exited with code 1"), HasSubstr("name another commit")));
}

TEST_F(BisectTest, ContinuesAfterKill9) {
  suite_is_there();
  const std::string good = commit("Begin", 10000);
  quiet(6);
  commit("Check each element", 12000);
  quiet(1);
  // The fourth build kills tally, which is the parent of the supervisor of the build's shell.
  const std::string kills = std::string(kBuild) + R"bash(
if [ "$(wc -l < built.log)" = 4 ] && [ ! -e killed ]; then
  touch killed
  supervisor=$(awk '{print $4}' /proc/$$/stat)
  kill -9 $(awk '{print $4}' /proc/$supervisor/stat)
  sleep 10
fi
)bash";
  std::vector<std::string> killed = arguments(good, "HEAD", {"--json"});
  killed[4] = kills;
  RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
  const How how = here();
  ProcessRequest request;
  request.argv = killed;
  request.argv.insert(request.argv.begin(), tally_path());
  request.environment = {{"PATH", how.path}, {"HOME", how.cache}, {"XDG_CACHE_HOME", how.cache}};
  request.working_folder = how.folder;
  const ProcessResult died = run(runner, std::move(request));
  EXPECT_TRUE(std::holds_alternative<Signaled>(died.outcome)) << describe(died.outcome) << died.err.text();
  const json::Value rest = found(good, "HEAD");
  EXPECT_THAT(changes_of(rest), ElementsAre("sum | Check each element | 20"));
  EXPECT_EQ(number(rest, "stored"), 3);
  EXPECT_EQ(number(rest, "builds") + number(rest, "stored"), 5);
}

TEST_F(BisectTest, AHistoryIsFilledInPartsThatAreDealtByPlaces) {
  suite_is_there();
  commit("Begin", 10000);
  commit("Check each element", 12000);
  repository.write("broken", "");
  std::ignore = repository.commit("Break it");
  fs::remove(repository.path("broken"));
  std::ignore = repository.commit("Mend it");
  const auto backfill = [&](std::vector<std::string> more) {
    std::vector<std::string> all = {"history", "backfill",   "--build", kBuild,
                                    "--suite", "suite.toml", "--store", store()};
    all.insert(all.end(), more.begin(), more.end());
    return tally(all, here());
  };
  // From the newest: the first and the third, then the second and the fourth.
  const Ran first = backfill({"--last", "4", "--shard", "1/2", "--times", "--max-run-time", "0.05"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out,
              AllOf(HasSubstr("(carried forward: the files of"),
                    HasSubstr("1 measured, 1 carried forward, 0 already there, 0 that could not be measured")));
  // A time that was taken at another commit is not this one's.
  const auto points = json::parse(tally({"history", "show", "sum", "--json", "--store", store()}, here()).out);
  ASSERT_TRUE(points);
  ASSERT_EQ((*points)["points"].size(), 2);
  EXPECT_EQ((*points)["points"][0]["instructions"].number(), (*points)["points"][1]["instructions"].number());
  EXPECT_TRUE((*points)["points"][1]["time_s"].number());
  EXPECT_FALSE((*points)["points"][0]["time_s"].number());
  const Ran second = backfill({"HEAD~3..HEAD", "--shard", "2/2"});
  EXPECT_EQ(second.code, 1);
  EXPECT_THAT(second.out, HasSubstr("0 measured, 0 carried forward, 0 already there, 1 that could not be measured"));
  EXPECT_THAT(second.err, AllOf(HasSubstr("\"Break it\" could not be built"), HasSubstr("is broken")));
  const Ran all = backfill({"--last", "4"});
  EXPECT_EQ(all.code, 1);
  EXPECT_THAT(all.out, HasSubstr("1 measured, 0 carried forward, 2 already there, 1 that could not be measured"));
  const Ran log = tally({"history", "log", "--store", store()}, here());
  EXPECT_THAT(log.out, AllOf(HasSubstr("Check each element"), HasSubstr("+20 %"), Not(HasSubstr("one of"))));
  EXPECT_EQ(backfill({}).code, 2);
  EXPECT_EQ(backfill({"--last", "2", "HEAD~1..HEAD"}).code, 2);
  EXPECT_EQ(backfill({"HEAD..HEAD~1"}).code, 2);
  EXPECT_EQ(backfill({"--last", "2", "--shard", "3/2"}).code, 2);
}

TEST_F(BisectTest, CasesThatFailAtACommitOfAHistoryAreSaid) {
  commit("Begin", 10000);
  fs::create_directories(repository.path("benchmarks"));
  // Beside a suite that is not committed, a commit has none of its files.
  repository.write("benchmarks/suite.toml", "schema = 1\n[[command]]\nlabel = \"a\"\nrun = [\"true\"]\n");
  const Ran filled = tally(
      {"history", "backfill", "--build", "true", "--suite", "benchmarks/suite.toml", "--store", store(), "--last", "1"},
      here());
  EXPECT_EQ(filled.code, 0) << filled.err;
  EXPECT_THAT(filled.err, HasSubstr("\"Begin\": 1 of 1 cases failed; a [command]: cannot enter its working folder"));
}

TEST_F(BisectTest, EveryMistakeSaysWhatToDo) {
  suite_is_there();
  const std::string first = commit("Begin", 10000);
  commit("Next", 10000);
  const auto refused = [&](const std::string& good, const std::string& bad) {
    const Ran ran = bisect(good, bad);
    EXPECT_EQ(ran.code, 2) << ran.err;
    return ran.err;
  };
  EXPECT_THAT(refused("HEAD", "HEAD~1"), HasSubstr("but the other way round; say tally bisect HEAD~1 HEAD"));
  EXPECT_THAT(refused("HEAD", "main"), HasSubstr("GOOD and BAD are one commit"));
  EXPECT_THAT(refused("nothing", "HEAD"), HasSubstr("'nothing' is not a commit of this repository"));
  repository.git({"checkout", "--quiet", "-b", "aside", first});
  quiet(1);
  EXPECT_THAT(refused("main", "aside"),
              HasSubstr("begin where the two came apart: tally bisect " + first.substr(0, 10)));
  const auto said = [&](std::vector<std::string> arguments) {
    const Ran ran = tally(std::move(arguments), here());
    EXPECT_EQ(ran.code, 2) << ran.err;
    return ran.err;
  };
  EXPECT_THAT(said({"bisect", "HEAD~1", "HEAD", "--suite", "suite.toml"}), HasSubstr("--build"));
  EXPECT_THAT(said({"bisect", "HEAD~1", "HEAD", "--build", "true"}),
              HasSubstr("name one of --suite FILE and --program"));
  EXPECT_THAT(said({"bisect", "HEAD~1", "HEAD", "--build", "true", "--suite", "no.toml"}), HasSubstr("no.toml"));
  EXPECT_THAT(said({"bisect", "HEAD~1", "HEAD", "--build", "true", "--program", "/bin/true"}),
              HasSubstr("lies outside of the repository"));
  repository.write("wrong.toml", "schema = 1\n[toolchain.own]\nextendz = \"cpp\"\n");
  EXPECT_THAT(said({"bisect", "HEAD~1", "HEAD", "--build", "true", "--suite", "wrong.toml"}),
              AllOf(HasSubstr(repository.path("wrong.toml")), HasSubstr("extendz")));
  // A shallow clone.
  const std::string clone = (elsewhere.path() / "clone").string();
  repository.git({"clone", "--quiet", "--depth", "1", "--branch", "main", "file://" + repository.top(), clone});
  const Ran shallow =
      tally({"bisect", first, "HEAD", "--build", "true", "--suite", repository.path("suite.toml")}, {.folder = clone});
  EXPECT_EQ(shallow.code, 2);
  EXPECT_THAT(shallow.err, HasSubstr("git fetch --unshallow"));
}

}  // namespace
}  // namespace tally::cli_test
