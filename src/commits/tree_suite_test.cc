#include "commits/tree_suite.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "plan/plan.h"

namespace tally {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

struct TreeSuites : testing::Test {
  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(write_file(folder.path() / name, text));
  }
  [[nodiscard]] std::string top() const { return (fs::canonical(folder.path()) / "project").string(); }

  TemporaryFolder folder = TemporaryFolder::make().value();
};

constexpr const char* kSuite = R"toml(schema = 1
include = ["shared.toml"]
[toolchain.own]
extends = "cpp"
include = ["../include"]
[[timer]]
label = ["today"]
language = "cpp"
stmt = "f()"
)toml";

TEST_F(TreeSuites, TextIsTodaysAndPathsAreTheTrees) {
  write("project/bench/suite.toml", kSuite);
  write("project/bench/shared.toml",
        "schema = 1\n[[timer]]\nlabel = [\"shared\"]\nlanguage = \"cpp\"\nstmt = \"g()\"\n");
  auto suite = TreeSuite::of_suite(top(), top() + "/bench", "suite.toml");
  ASSERT_TRUE(suite) << describe(suite.error());
  EXPECT_EQ(suite->name(), "bench/suite.toml");
  // Nothing of it is in the tree.
  const auto read = suite->in("/no/such/tree", nullptr);
  ASSERT_TRUE(read) << describe(read.error());
  EXPECT_EQ(cases_of(*read)->size(), 2);
  EXPECT_THAT(read->toolchain("own")->cpp.include, ElementsAre("/no/such/tree/include"));
  // Changed meanwhile: what was begun with continues.
  write("project/bench/suite.toml", "schema = 1\n");
  write("project/bench/shared.toml", "schema = 1\n");
  EXPECT_EQ(cases_of(*suite->in("/no/such/tree", nullptr))->size(), 2);
}

TEST_F(TreeSuites, ASuiteFromOutsideLiesAtTheTop) {
  write("suite.toml", "schema = 1\n[toolchain.own]\nextends = \"cpp\"\ninclude = [\"include\"]\n");
  auto suite = TreeSuite::of_suite(top(), folder.path().string(), "suite.toml");
  ASSERT_TRUE(suite) << describe(suite.error());
  EXPECT_EQ(suite->name(), "suite.toml");
  EXPECT_THAT(suite->in("/tree", nullptr)->toolchain("own")->cpp.include, ElementsAre("/tree/include"));
}

TEST_F(TreeSuites, WhatWouldBeTodaysAtEveryCommitIsRefused) {
  write("project/suite.toml",
        "schema = 1\n[toolchain.own]\nextends = \"cpp\"\ninclude = [\"" + top() + "/include\"]\n");
  auto suite = TreeSuite::of_suite(top(), top(), "suite.toml");
  ASSERT_TRUE(suite);
  const auto read = suite->in("/tree", nullptr);
  ASSERT_FALSE(read);
  EXPECT_THAT(describe(read.error()), HasSubstr("which is today's at every commit; write it relative to the suite"));
  const auto outside = TreeSuite::of_program(top(), top(), "../bench");
  ASSERT_FALSE(outside);
  EXPECT_THAT(describe(outside.error()), HasSubstr("no commit would change it"));
  EXPECT_EQ(TreeSuite::of_program(top(), top() + "/src", "../build/bench")->name(), "build/bench");
  EXPECT_FALSE(TreeSuite::of_suite(top(), top(), "missing.toml"));
}

}  // namespace
}  // namespace tally
