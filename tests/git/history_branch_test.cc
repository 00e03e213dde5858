#include "history/git_files.h"

#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

#include "git/generated.h"
#include "history/store.h"
#include "record/example_record.h"

namespace tally::git_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

EnvironmentVariables environment_of_tests() {
  return {{"PATH", "/usr/bin:/bin"}, {"GIT_CONFIG_GLOBAL", "/dev/null"}, {"HOME", "/nowhere"}};
}

/// A runner and a branch in somebody's clone.
struct Clone {
  explicit Clone(const std::string& folder)
      : files(GitFiles::open(**Repository::find(runner, environment_of_tests(), folder), "tally-history").value()) {}

  Status write(const std::string& name, const std::string& text = "text") {
    return files->write({{.name = name, .text = text}}, "Add " + name);
  }
  Status remove(const std::string& name) { return files->remove(std::span(&name, 1), "Remove " + name); }
  [[nodiscard]] std::vector<std::string> names() const { return files->names("runs").value().files; }

  RealProcessRunner runner{TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor"};
  std::unique_ptr<GitFiles> files;
};

struct HistoryBranch : testing::Test {
  HistoryBranch() {
    repository.write("file", "one");
    (void)repository.commit("first");
  }
  GeneratedRepository repository;
};

TEST_F(HistoryBranch, KeepsFilesAndTouchesNoWorkTree) {
  Clone here(repository.top());
  EXPECT_THAT(here.names(), IsEmpty());
  const std::string odd = "runs/a \"b\" \\\n\xc3\xa4/one.json";
  const std::string bytes("\0\n\ndata 3\n\xff", 11);
  ASSERT_TRUE(here.write("runs/one.json", bytes));
  ASSERT_TRUE(here.write(odd, ""));
  ASSERT_TRUE(here.write("other/two.json"));
  EXPECT_THAT(here.names(), ElementsAre(odd, "runs/one.json"));
  EXPECT_EQ(here.files->read("runs/one.json").value(), bytes);
  EXPECT_EQ(here.files->read(odd).value(), "");
  EXPECT_TRUE(here.files->has(odd));
  EXPECT_FALSE(here.files->read("runs/none.json"));
  EXPECT_EQ(repository.git({"status", "--porcelain"}), "");
  EXPECT_EQ(repository.git({"log", "--format=%s", "tally-history"}),
            "Add other/two.json\nAdd " + odd.substr(0, odd.find('\n')) + " " + odd.substr(odd.find('\n') + 1) +
                "\nAdd runs/one.json");
  // What is there makes no commit.
  ASSERT_TRUE(here.write("runs/one.json", "another"));
  EXPECT_EQ(repository.git({"rev-list", "--count", "tally-history"}), "3");
  EXPECT_EQ(here.files->read("runs/one.json").value(), bytes);
  ASSERT_TRUE(here.remove("runs/one.json"));
  EXPECT_THAT(here.names(), ElementsAre(odd));
}

TEST_F(HistoryBranch, HooksDoNotRun) {
  repository.write(".git/hooks/reference-transaction", "#!/bin/sh\ntouch \"$(git rev-parse --git-dir)/ran\"\n");
  fs::permissions(repository.path(".git/hooks/reference-transaction"), fs::perms::owner_all);
  Clone here(repository.top());
  ASSERT_TRUE(here.write("runs/one.json"));
  EXPECT_FALSE(fs::exists(repository.path(".git/ran")));
}

TEST_F(HistoryBranch, AMuchReadBranchIsReadInBatches) {
  Clone here(repository.top());
  std::vector<NewHistoryFile> files;
  std::vector<std::string> names;
  for (int i = 10000; i < 11100; ++i) {
    files.push_back({.name = "runs/" + std::to_string(i), .text = std::string(i % 7, 'x') + std::to_string(i)});
    names.push_back(files.back().name);
  }
  ASSERT_TRUE(here.files->write(files, "Add all"));
  std::size_t read = 0;
  ASSERT_TRUE(here.files->read_all(names, [&](const std::string& name, const std::string& text) {
    EXPECT_EQ(name, files[read].name);
    EXPECT_EQ(text, files[read].text);
    ++read;
    return Status();
  }));
  EXPECT_EQ(read, 1100);
}

TEST_F(HistoryBranch, WritersAtOnceLoseNothing) {
  constexpr int kWriters = 4;
  constexpr int kFiles = 5;
  std::vector<std::unique_ptr<Clone>> clones;
  clones.reserve(kWriters);
  for (int i = 0; i < kWriters; ++i) clones.push_back(std::make_unique<Clone>(repository.top()));
  std::vector<pid_t> writers;
  for (int i = 0; i < kWriters; ++i) {
    const pid_t writer = ::fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
      Clone here(repository.top());
      bool fine = true;
      for (int k = 0; k < kFiles; ++k)
        fine = here.write("runs/" + std::to_string(i) + "-" + std::to_string(k)).has_value() && fine;
      ::_exit(fine ? 0 : 1);
    }
    writers.push_back(writer);
  }
  for (const pid_t writer : writers) {
    int status = -1;
    ASSERT_EQ(::waitpid(writer, &status, 0), writer);
    EXPECT_EQ(status, 0);
  }
  EXPECT_THAT(Clone(repository.top()).names(), SizeIs(kWriters * kFiles));
}

TEST_F(HistoryBranch, TwoClonesJoinWhatEitherAddedAndRemoved) {
  const GeneratedRepository remote;
  remote.git({"config", "receive.denyCurrentBranch", "ignore"});
  const GeneratedRepository second;
  second.write("file", "one");
  (void)second.commit("first");
  Clone a(repository.top());
  Clone b(second.top());
  ASSERT_TRUE(a.files->pull(remote.top()));  // It has none yet.
  ASSERT_TRUE(a.write("runs/shared"));
  ASSERT_TRUE(a.write("runs/old"));
  ASSERT_TRUE(a.files->push(remote.top()));
  ASSERT_TRUE(b.files->pull(remote.top()));
  EXPECT_THAT(b.names(), ElementsAre("runs/old", "runs/shared"));

  ASSERT_TRUE(a.write("runs/from-a"));
  ASSERT_TRUE(a.remove("runs/old"));
  ASSERT_TRUE(b.write("runs/from-b"));
  ASSERT_TRUE(a.files->push(remote.top()));
  const auto pushed = b.files->push(remote.top());
  ASSERT_TRUE(pushed) << describe(pushed.error());
  ASSERT_TRUE(a.files->pull(remote.top()));
  EXPECT_THAT(a.names(), ElementsAre("runs/from-a", "runs/from-b", "runs/shared"));
  EXPECT_EQ(b.names(), a.names());
  EXPECT_EQ(Clone(remote.top()).names(), a.names());

  const auto nowhere = a.files->push(repository.path("nowhere"));
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr("nowhere"));
}

TEST_F(HistoryBranch, TwoThatBeganApartJoin) {
  const GeneratedRepository second;
  second.write("file", "one");
  (void)second.commit("first");
  Clone a(repository.top());
  Clone b(second.top());
  ASSERT_TRUE(a.write("runs/from-a"));
  ASSERT_TRUE(b.write("runs/from-b"));
  ASSERT_TRUE(b.files->pull(repository.top()));
  EXPECT_THAT(b.names(), ElementsAre("runs/from-a", "runs/from-b"));
}

TEST_F(HistoryBranch, AStoreAndItsIndexLieInGit) {
  Record record = example_record();
  record.source->dirty = false;
  RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
  HistoryStore store(
      GitFiles::open(**Repository::find(runner, environment_of_tests(), repository.top()), "refs/tally/history")
          .value());
  const auto added = store.add(record, "a.json");
  ASSERT_TRUE(added) << describe(added.error());
  EXPECT_TRUE(added->is_new);
  EXPECT_FALSE(store.add(record, "a.json")->is_new);
  EXPECT_EQ(store.load(added->file).value(), compacted(record));
  ASSERT_TRUE(store.index());
  EXPECT_TRUE(fs::exists(repository.path(".git/tally/tally-history.sqlite")));
}

TEST_F(HistoryBranch, NamesThatCannotBeAreRefused) {
  RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
  const auto opened = [&](const std::string& name) {
    return GitFiles::open(**Repository::find(runner, environment_of_tests(), repository.top()), name);
  };
  EXPECT_THAT(opened("a..b").error().message, HasSubstr("no git ref can be called 'a..b'"));
  EXPECT_THAT(opened("").error().message, HasSubstr("no git ref"));
  EXPECT_THAT(opened("main").error().message, HasSubstr("checked out in " + repository.top()));
}

}  // namespace
}  // namespace tally::git_test
