#include <gmock/gmock.h>

#include "git/generated.h"
#include "git/repository.h"

namespace tally::git_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Line : testing::Test {
  Repository opened() {
    auto found = Repository::find(runner, {{"PATH", "/usr/bin:/bin"}}, generated.top());
    EXPECT_TRUE(found && *found);
    return **found;
  }
  std::string commit(const std::string& title) const {
    generated.write("file", title);
    return generated.commit(title);
  }

  RealProcessRunner runner{TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor"};
  GeneratedRepository generated;
};

std::vector<std::string> titles(const Result<std::vector<LineCommit>>& line) {
  EXPECT_TRUE(line) << describe(line.error());
  std::vector<std::string> all;
  if (line) {
    for (const LineCommit& one : *line) all.push_back(one.title.title);
  }
  return all;
}

TEST_F(Line, GoesByFirstParentsAndKnowsMerges) {
  const std::string first = commit("first");
  const std::string second = commit("second");
  generated.git({"checkout", "--quiet", "-b", "aside"});
  generated.write("other", "other");
  const std::string aside = generated.commit("aside");
  generated.git({"checkout", "--quiet", "main"});
  const std::string third = commit("third");
  generated.git({"merge", "--quiet", "--no-ff", "--message", "merge", "aside"});
  const std::string merge = generated.git({"rev-parse", "HEAD"});
  const std::string last = commit("last");

  const Repository repository = opened();
  const auto line = repository.line_between(first, last);
  EXPECT_THAT(titles(line), ElementsAre("first", "second", "third", "merge", "last"));
  EXPECT_EQ(line->front().title.author, "Ada");
  EXPECT_FALSE((*line)[2].is_merge());
  EXPECT_TRUE((*line)[3].is_merge());
  EXPECT_THAT((*line)[3].parents, ElementsAre(third, aside));
  // From a commit that only the second parent leads to.
  EXPECT_THAT(titles(repository.line_between(aside, last)), ElementsAre("aside", "merge", "last"));
  EXPECT_THAT(titles(repository.line_between(second, aside)), ElementsAre("second", "aside"));
  EXPECT_THAT(titles(repository.line_between(last, last)), ElementsAre("last"));
  EXPECT_THAT(titles(repository.line_between(last, first)), IsEmpty());
  EXPECT_THAT(titles(repository.line_between(third, aside)), IsEmpty());

  EXPECT_EQ(**repository.merge_base(third, aside), second);
  EXPECT_EQ(**repository.merge_base(first, last), first);
  generated.git({"checkout", "--quiet", "--orphan", "alone"});
  EXPECT_EQ(*repository.merge_base(commit("alone"), last), std::nullopt);
  EXPECT_FALSE(repository.merge_base("0123456789012345678901234567890123456789", last));
}

}  // namespace
}  // namespace tally::git_test
