#include "git/work_tree.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "git/generated.h"

namespace tally::git_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct WorkTrees : testing::Test {
  WorkTrees() {
    generated.write("file", "one");
    first = generated.commit("first");
    generated.write("file", "two");
    generated.write("folder/new", "new");
    second = generated.commit("second");
  }
  Result<WorkTree> open(const std::string& commit) {
    auto found = Repository::find(runner, environment, generated.top());
    return WorkTree::open(runner, environment, **found, path(), commit);
  }
  [[nodiscard]] std::string path() const { return (fs::canonical(elsewhere.path()) / "deep/tree").string(); }
  [[nodiscard]] std::string text(const std::string& name) const { return read_file(path() + "/" + name).value_or(""); }

  EnvironmentVariables environment = {{"PATH", "/usr/bin:/bin"}, {"GIT_CONFIG_GLOBAL", "/dev/null"}};
  RealProcessRunner runner{TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor"};
  GeneratedRepository generated;
  TemporaryFolder elsewhere = TemporaryFolder::make().value();
  std::string first;
  std::string second;
};

TEST_F(WorkTrees, KeepsWhatIsUntrackedAndSetsBackWhatIsTracked) {
  const auto tree = open(first);
  ASSERT_TRUE(tree) << describe(tree.error());
  EXPECT_EQ(text("file"), "one");
  EXPECT_FALSE(fs::exists(path() + "/folder"));
  ASSERT_TRUE(write_file(path() + "/build/object", "built"));
  ASSERT_TRUE(write_file(path() + "/file", "changed by the build"));
  ASSERT_TRUE(write_file(path() + "/folder/new", "in the way"));
  ASSERT_TRUE(tree->check_out(second));
  EXPECT_EQ(text("file"), "two");
  EXPECT_EQ(text("folder/new"), "new");
  EXPECT_EQ(text("build/object"), "built");
  ASSERT_TRUE(tree->check_out(first));
  EXPECT_FALSE(fs::exists(path() + "/folder"));
  const auto unknown = tree->check_out("0123456789012345678901234567890123456789");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("git checkout: "));
  EXPECT_EQ(generated.git({"status", "--porcelain"}), "");
  EXPECT_EQ(generated.git({"rev-parse", "--abbrev-ref", "HEAD"}), "main");
}

TEST_F(WorkTrees, ContinuesWhereAKilledProcessLeftIt) {
  ASSERT_TRUE(open(first));
  ASSERT_TRUE(write_file(path() + "/build/object", "built"));
  const std::string lock = generated.path(".git/worktrees/tree/index.lock");
  ASSERT_TRUE(write_file(lock, ""));
  ASSERT_TRUE(open(second));
  EXPECT_EQ(text("file"), "two");
  EXPECT_EQ(text("build/object"), "built");
  // A cache was emptied, or the folder is half of a work tree.
  fs::remove_all(path());
  ASSERT_TRUE(open(first));
  EXPECT_EQ(text("file"), "one");
  fs::remove(path() + "/.git");
  ASSERT_TRUE(open(second));
  EXPECT_EQ(text("file"), "two");
}

TEST_F(WorkTrees, RunsNoHookAndNoFilter) {
  generated.write(".gitattributes", "filtered filter=loud\n");
  generated.write("filtered", "as it was committed");
  const std::string filtered = generated.commit("filtered");
  const std::string witness = generated.path(".git/witness");
  generated.git({"config", "filter.loud.smudge", "touch " + witness + "; tr a-z A-Z"});
  generated.git({"config", "filter.loud.process", "touch " + witness});
  generated.git({"config", "filter.loud.required", "true"});
  for (const char* const hook : {"post-checkout", "reference-transaction", "post-index-change"}) {
    const std::string file = generated.path(std::string(".git/hooks/") + hook);
    ASSERT_TRUE(write_file(file, "#!/bin/sh\ntouch " + witness + "\n"));
    ::chmod(file.c_str(), 0755);
  }
  const auto tree = open(first);
  ASSERT_TRUE(tree);
  ASSERT_TRUE(tree->check_out(filtered));
  EXPECT_EQ(text("filtered"), "as it was committed");
  EXPECT_FALSE(fs::exists(witness));
  // The hook is one that would have run.
  generated.git({"config", "--remove-section", "filter.loud"});
  generated.git({"checkout", "--quiet", "HEAD~1"});
  EXPECT_TRUE(fs::exists(witness));
}

}  // namespace
}  // namespace tally::git_test
