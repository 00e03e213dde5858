#include "history/kept_line.h"

#include <gmock/gmock.h>

#include "git/generated.h"

namespace tally::git_test {
namespace {

using testing::ElementsAre;

struct KeptLine : testing::Test {
  Repository opened(const std::string& folder) {
    auto found = Repository::find(runner, {{"PATH", "/usr/bin:/bin"}}, folder);
    EXPECT_TRUE(found && *found);
    return **found;
  }
  /// The titles of the line, which git must list in the same way.
  std::vector<std::string> titles_of(const std::string& tip, const std::string& folder = {}) {
    const Repository repository = opened(folder.empty() ? generated.top() : folder);
    const auto line = tally::line_of(repository, tip, index);
    EXPECT_TRUE(line) << describe(line.error());
    const auto listed = repository.first_parent_line(tip);
    EXPECT_TRUE(listed);
    std::vector<std::string> titles;
    for (const CommitName& one : line->commits) titles.push_back(one.title);
    EXPECT_EQ(line->commits.size(), listed->size());
    for (std::size_t i = 0; i < std::min(listed->size(), line->commits.size()); ++i) {
      const CommitTitle& same = (*listed)[listed->size() - 1 - i].title;
      EXPECT_EQ(line->commits[i].id, same.id);
      EXPECT_EQ(line->commits[i].author, same.author);
      EXPECT_EQ(line->commits[i].title, same.title);
    }
    return titles;
  }
  std::size_t kept() {
    const auto text = index.line();
    EXPECT_TRUE(text);
    return *text ? static_cast<std::size_t>(std::ranges::count(**text, '\n')) : 0;
  }

  RealProcessRunner runner{TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor"};
  GeneratedRepository generated;
  HistoryIndex index = HistoryIndex::in_memory().value();
};

TEST_F(KeptLine, GrowsWithTheBranchAndIsCutWhereAnotherLeavesIt) {
  const std::string first = generated.commit("first");
  const std::string second = generated.commit("second");
  EXPECT_THAT(titles_of("HEAD"), ElementsAre("first", "second"));
  EXPECT_EQ(kept(), 2);
  generated.git({"checkout", "--quiet", "-b", "aside", first});
  const std::string aside = generated.commit("a \x1f in a title");
  EXPECT_THAT(titles_of("aside"), ElementsAre("first", "a \x1f in a title"));
  EXPECT_EQ(kept(), 2);
  generated.git({"checkout", "--quiet", "main"});
  generated.git({"merge", "--quiet", "--no-ff", "--message", "merge", "aside"});
  const std::string last = generated.commit("last");
  EXPECT_THAT(titles_of("main"), ElementsAre("first", "second", "merge", "last"));
  EXPECT_EQ(kept(), 4);
  // An older tip leaves the long line as it is; one that was merged has a line of its own.
  EXPECT_THAT(titles_of(second), ElementsAre("first", "second"));
  EXPECT_EQ(kept(), 4);
  EXPECT_THAT(titles_of(aside), ElementsAre("first", "a \x1f in a title"));
  EXPECT_EQ(kept(), 2);
  EXPECT_THAT(titles_of("main"), ElementsAre("first", "second", "merge", "last"));
  generated.git({"commit", "--quiet", "--allow-empty", "--amend", "--message", "amended"});
  EXPECT_THAT(titles_of("main"), ElementsAre("first", "second", "merge", "amended"));
  generated.git({"checkout", "--quiet", "--orphan", "alone"});
  const std::string alone = generated.commit("alone");
  EXPECT_THAT(titles_of("alone"), ElementsAre("alone"));
  EXPECT_THAT(titles_of("main"), ElementsAre("first", "second", "merge", "amended"));
  for (const char* none : {"nowhere", "--all", "-1", "", "HEAD~1..HEAD", "^HEAD"})
    EXPECT_FALSE(tally::line_of(opened(generated.top()), none, index)) << none;
}

TEST_F(KeptLine, IsNotBelievedOfARepositoryThatGivesCommitsOtherParents) {
  for (const char* title : {"first", "second", "third", "fourth"}) [[maybe_unused]]
    const auto id = generated.commit(title);
  const std::string clone = generated.path("clone");
  generated.git({"clone", "--quiet", "--depth", "2", "file://" + generated.top(), clone});
  EXPECT_THAT(titles_of("HEAD", clone), ElementsAre("third", "fourth"));
  EXPECT_EQ(kept(), 0);
  EXPECT_THAT(titles_of("HEAD"), ElementsAre("first", "second", "third", "fourth"));
  EXPECT_EQ(kept(), 4);
  EXPECT_THAT(titles_of("HEAD", clone), ElementsAre("third", "fourth"));
  generated.git({"replace", "--graft", "HEAD~1", "HEAD~3"});
  EXPECT_THAT(titles_of("HEAD"), ElementsAre("first", "third", "fourth"));
  generated.git({"replace", "--delete", "HEAD~1"});
  EXPECT_THAT(titles_of("HEAD"), ElementsAre("first", "second", "third", "fourth"));
}

}  // namespace
}  // namespace tally::git_test
