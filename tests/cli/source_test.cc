#include "git/generated.h"
#include "harness.h"

namespace tally::cli_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSuite =
    "schema = 1\n[[timer]]\nlabel = [\"one\"]\nlanguage = \"cpp\"\nstmt = \"asm volatile(\\\"nop\\\")\"\n";

std::vector<std::string> counting(const std::string& what) { return {"run", what, "--counts-only", "--quiet"}; }

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(Source, ARecordNamesTheCommitOfTheSuite) {
  const git_test::GeneratedRepository repository;
  repository.write("bench/suite.toml", kSuite);
  repository.git({"remote", "add", "origin", "https://ada:secret@example.org/mill.git"});
  const std::string first = repository.commit("first");
  const std::string second = repository.commit("second");
  Ran ran;
  const Record record = record_of(counting(repository.path("bench/suite.toml")), ran);
  ASSERT_EQ(ran.code, 0) << ran.err;
  ASSERT_TRUE(record.source);
  EXPECT_EQ(record.source->repository, "https://example.org/mill.git");
  EXPECT_EQ(record.source->commit, second);
  EXPECT_EQ(record.source->tree, repository.git({"rev-parse", "HEAD^{tree}"}));
  EXPECT_THAT(record.source->parents, ElementsAre(first));
  EXPECT_FALSE(record.source->dirty);
  EXPECT_EQ(record.suite, "bench/suite.toml");

  // What is not committed is said; --commit names another one, by any name that git knows.
  repository.write("bench/suite.toml", std::string(kSuite) + "# changed\n");
  EXPECT_TRUE(record_of(counting(repository.path("bench/suite.toml")), ran).source->dirty);
  const Record named = record_of(with(counting(repository.path("bench/suite.toml")), {"--commit", "HEAD~1"}), ran);
  ASSERT_TRUE(named.source) << ran.err;
  EXPECT_EQ(named.source->commit, first);
  EXPECT_FALSE(named.source->dirty);
  EXPECT_THAT(named.source->parents, ElementsAre());

  const Ran unknown = tally(with(counting(repository.path("bench/suite.toml")), {"--commit", "no-such-branch"}));
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("'no-such-branch' is not a commit of this repository"));
}

TEST(Source, AProgramMayBeTheWholeRepository) {
  const git_test::GeneratedRepository repository;
  repository.write("asv.conf.json", "{\"benchmark_dir\": \"benchmarks\"}");
  repository.write("benchmarks/__init__.py", "def track_one():\n    return 1\n");
  const std::string commit = repository.commit("first");
  Ran ran;
  const Record record = record_of({"run", "--asv", repository.top(), "--counts-only", "--quiet"}, ran);
  ASSERT_TRUE(record.source) << ran.err;
  EXPECT_EQ(record.source->commit, commit);
  EXPECT_EQ(record.suite, "asv.conf.json");
}

TEST(Source, AFolderOfNoRepositoryHasNoneUnlessItIsNamed) {
  const git_test::GeneratedRepository repository;
  const std::string commit = repository.commit("first");
  const auto folder = TemporaryFolder::make();
  const std::string suite = (folder->path() / "suite.toml").string();
  ASSERT_TRUE(write_file(suite, kSuite));
  Ran ran;
  const Record none = record_of(counting(suite), ran);
  EXPECT_FALSE(none.source);
  EXPECT_EQ(none.suite, "suite.toml");
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(record_of(with(counting(suite), {"--source", repository.top()}), ran).source->commit, commit);
  const std::string id(40, 'a');
  EXPECT_EQ(record_of(with(counting(suite), {"--commit", id}), ran).source->commit, id);

  const Ran abbreviated = tally(with(counting(suite), {"--commit", "aaaa"}));
  EXPECT_EQ(abbreviated.code, 2);
  EXPECT_THAT(abbreviated.err, HasSubstr("not a full commit id"));
  const Ran elsewhere = tally(with(counting(suite), {"--source", folder->path().string()}));
  EXPECT_EQ(elsewhere.code, 2);
  EXPECT_THAT(elsewhere.err, HasSubstr("is in no git repository"));
}

TEST(Source, AHooksVariablesSayNothing) {
  const git_test::GeneratedRepository repository;
  repository.write("suite.toml", kSuite);
  const std::string commit = repository.commit("first");
  Ran ran;
  const Record record = record_of(counting(repository.path("suite.toml")), ran,
                                  {.more = {{"GIT_DIR", "/nowhere"}, {"GIT_INDEX_FILE", "/nowhere"}}});
  ASSERT_TRUE(record.source) << ran.err;
  EXPECT_EQ(record.source->commit, commit);
}

TEST(Source, AnInterruptedRunContinuesAtItsOwnCommitOnly) {
  const git_test::GeneratedRepository repository;
  repository.write("suite.toml", std::string(kSuite) + "[[timer]]\nlabel = [\"two\"]\nlanguage = \"cpp\"\n" +
                                     "global_setup = \"#include <unistd.h>\"\nstmt = \"sleep(100)\"\n");
  const std::string first = repository.commit("first");
  // One after the other: a case stands once those beside it have been executed.
  const std::vector<std::string> run =
      with(counting(repository.path("suite.toml")), {"--cores", "0", "--json", repository.path("r.json")});
  // An interruption, once the first case is in the journal.
  RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
  const std::string cache = How{}.cache;
  ProcessRequest request{.argv = with({tally_path()}, run),
                         .environment = {{"PATH", "/usr/bin:/bin"}, {"HOME", cache}, {"XDG_CACHE_HOME", cache}},
                         .working_folder = repository.top(),
                         .grace = {.interrupt = Milliseconds(20'000)}};
  const auto id = runner.start(std::move(request));
  ASSERT_TRUE(id);
  const std::string journal = repository.path("r.json.journal");
  const auto given_up = Clock::now() + std::chrono::seconds(600);
  while (!read_file(journal).value_or("").contains("one [cpp]") && Clock::now() < given_up)
    std::ignore = runner.wait(Clock::now() + Milliseconds(50));
  runner.cancel(*id);
  std::ignore = runner.wait(Clock::now() + std::chrono::seconds(600));

  const std::string second = repository.commit("second");
  const Ran resumed = tally(with(run, {"--resume"}));
  EXPECT_EQ(resumed.code, 2) << resumed.out << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("commit"));
  EXPECT_THAT(resumed.err, HasSubstr(first));
  EXPECT_THAT(resumed.err, HasSubstr(second));
}

TEST(Source, PartsOfDifferentCommitsAreRefused) {
  const git_test::GeneratedRepository repository;
  repository.write("suite.toml", kSuite);
  std::ignore = repository.commit("first");
  const auto part = [&](const std::string& which) {
    const std::string path = repository.path(which + ".json");
    const Ran ran = tally(with(counting(repository.path("suite.toml")), {"--shard", which + "/2", "--json", path}));
    EXPECT_EQ(ran.code, 0) << ran.err;
    return path;
  };
  const std::string one = part("1");
  std::ignore = repository.commit("second");
  const Ran merged = tally({"merge", one, part("2"), "-o", repository.path("all.json")});
  EXPECT_EQ(merged.code, 2);
  EXPECT_THAT(merged.err, HasSubstr("measure all parts at the same commit"));
}

}  // namespace
}  // namespace tally::cli_test
