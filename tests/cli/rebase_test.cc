#include "counted_functions.h"
#include "git/generated.h"
#include "harness.h"
#include "record/example_counts.h"

namespace tally::cli_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// What is measured is what a build command makes of a commit.
constexpr const char* kBuild = "mkdir -p build && cp work.h build/work.h";

/// A repository with two commits, and a record of the first that says another compiler.
struct RebaseTest : testing::Test {
  RebaseTest() {
    repository.write("suite.toml", suite_of_functions("build", {"sum"}));
    repository.write(".gitignore", "build/\n");
  }

  std::string commit(int sum) const {
    repository.write("work.h", "#pragma once\n" + function_of("sum", sum));
    return repository.commit(std::to_string(sum));
  }

  [[nodiscard]] std::string measure(const std::string& name) const {
    EXPECT_TRUE(write_file(repository.path("build/work.h"), read_file(repository.path("work.h")).value()));
    const std::string path = (records->path() / name).string();
    const Ran run = tally({"run", repository.path("suite.toml"), "--counts-only", "--quiet", "--json", path});
    EXPECT_EQ(run.code, 0) << run.err;
    return path;
  }

  /// As if it had been measured by another compiler, which made other code.
  void move_elsewhere(const std::string& path) const {
    auto record = record_from_json(read_file(path).value(), path);
    ASSERT_TRUE(record);
    for (auto& [name, environment] : record->environments) {
      ASSERT_TRUE(environment.facts.contains("compiler"));
      environment.facts["compiler"] = "g++ 9";
    }
    for (CaseRecord& one : record->cases) scale_count(*one.counts, 0.5);
    ASSERT_TRUE(write_file(path, to_json(*record)));
  }

  [[nodiscard]] Ran check(const std::string& base, const std::string& next, std::vector<std::string> more) const {
    more.insert(more.begin(), {"check", base, next});
    return tally(more, {.folder = repository.top()});
  }

  git_test::GeneratedRepository repository;
  Result<TemporaryFolder> records = TemporaryFolder::make();
};

TEST_F(RebaseTest, ABaseOfAnotherEnvironmentIsBuiltAndMeasuredHere) {
  const std::string first = commit(10000);
  const std::string base = measure("base.json");
  move_elsewhere(base);
  (void)commit(10000);
  const std::string same = measure("same.json");
  (void)commit(12000);
  const std::string slower = measure("slower.json");

  const Ran warned = check(base, slower, {});
  EXPECT_EQ(warned.code, 0) << warned.out;
  EXPECT_THAT(warned.out, AllOf(HasSubstr("softened, the environment changed"), HasSubstr("--rebase COMMAND")));

  const Ran equal = check(base, same, {"--rebase", kBuild});
  EXPECT_EQ(equal.code, 0) << equal.out << equal.err;
  EXPECT_THAT(equal.err, HasSubstr("building commit " + first.substr(0, 10)));
  EXPECT_THAT(equal.out, AllOf(HasSubstr("note: the base was built and measured here"), HasSubstr("compiler: g++ 9"),
                               HasSubstr("1 compared: pass (0 beyond limits")));
  const Ran caught = check(base, slower, {"--rebase", kBuild});
  EXPECT_EQ(caught.code, 3) << caught.out << caught.err;
  EXPECT_THAT(caught.out, HasSubstr("regression: sum "));
  EXPECT_THAT(caught.out, AllOf(HasSubstr("+20 % (10000 → 12000)"), Not(HasSubstr("softened"))));
  // What stands in the repository is not touched.
  EXPECT_EQ(repository.git({"status", "--porcelain"}), "");

  const Ran idle = check(same, slower, {"--rebase", "false"});
  EXPECT_EQ(idle.code, 3);
  EXPECT_THAT(idle.out, HasSubstr("--rebase has nothing to do"));
}

TEST_F(RebaseTest, WhatCannotBeMeasuredHereIsNoPass) {
  (void)commit(1000);
  const std::string base = measure("base.json");
  move_elsewhere(base);
  const std::string next = measure("next.json");
  const Ran broken = check(base, next, {"--rebase", "echo no such library; exit 7"});
  EXPECT_EQ(broken.code, 2);
  EXPECT_THAT(broken.err, AllOf(HasSubstr("could not be built"), HasSubstr("no such library")));
  move_elsewhere(next);
  const Ran third = check(base, measure("here.json"), {"--rebase", kBuild});
  EXPECT_EQ(third.code, 0) << third.err;
  EXPECT_THAT(check(base, next, {"--cxx", "clang++"}).err, HasSubstr("it goes with --confirm or --rebase"));
  auto record = record_from_json(read_file(base).value(), base);
  record->source.reset();
  ASSERT_TRUE(write_file(base, to_json(*record)));
  const Ran unknown = check(base, (records->path() / "here.json").string(), {"--rebase", kBuild});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("does not say which commit"));
}

}  // namespace
}  // namespace tally::cli_test
