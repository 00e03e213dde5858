#include "discovery/toolchains.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"
#include "definition/read_suite.h"
#include "process/testing/fake_runner.h"

namespace tally {
namespace {

using testing::HasSubstr;

/// A machine with two interpreters, of which one is too old.
class ResolveToolchainsTest : public testing::Test {
 protected:
  ResolveToolchainsTest() {
    for (const char* name : {"good", "old"}) {
      EXPECT_TRUE(write_file(path(name), "#!/bin/sh\n"));
      std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
    }
    runner_.play = [this](const ProcessRequest& request) {
      ScriptedProcess process;
      process.result.outcome = Exited{0};
      BoundedOutput out(4096);
      out.append(fmt::format(R"({{"executable": "{}", "version": "3.{}.1", "modules": [], "missing": [], "old": {}}})",
                             request.argv[0], request.argv[0] == path("old") ? 7 : 11, request.argv[0] == path("old")));
      process.result.out = out.take();
      return process;
    };
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  /// Two toolchains, "first" and "second", with two cases in Python each.
  Result<std::map<std::string, ResolvedToolchain>> resolve(const std::string& first, const std::string& second,
                                                           const Tools& tools = {}) {
    std::string text = "schema = 1\n";
    for (const auto& [name, interpreter] : {std::pair{"first", first}, {"second", second}}) {
      text += fmt::format("[toolchain.{}]\nextends = \"python\"\npython = [\"./{}\"]\n", name, interpreter);
      for (const int number : {1, 2}) {
        text += fmt::format(
            "[[timer]]\nlabel = [\"{}\", \"{}\"]\nlanguage = \"python\"\ntoolchain = \"{}\"\nstmt = \"1\"\n", name,
            number, name);
      }
    }
    const auto suite = parse_suite(text, path("suite.toml"), read_suite_file);
    EXPECT_TRUE(suite) << describe(suite.error());
    const Plan plan = make_plan(*suite, {}).value();
    return resolve_toolchains(runner_, plan, tools, {.full = {}, .filtered = {}, .working_folder = "/"},
                              Cache(folder_.path() / "cache"));
  }

  std::size_t starts_of(const std::string& name) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(runner_.started, [&](const ProcessRequest& one) { return one.argv[0] == path(name); }));
  }

  TemporaryFolder folder_ = TemporaryFolder::make().value();
  FakeProcessRunner runner_;
};

TEST_F(ResolveToolchainsTest, EachIsResolvedOnceAndForTheLanguagesOfItsCases) {
  const auto found = resolve("good", "good");
  ASSERT_TRUE(found) << describe(found.error());
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ(found->at("first").interpreter->value().version, "3.11.1");
  EXPECT_FALSE(found->at("first").compiler) << "no case is in C++";
  EXPECT_EQ(starts_of("good"), 2U) << "once for each toolchain, whatever its cases";
}

TEST_F(ResolveToolchainsTest, OneThatDoesNotWorkLeavesTheOthers) {
  const auto found = resolve("old", "good");
  ASSERT_TRUE(found) << describe(found.error());
  ASSERT_FALSE(*found->at("first").interpreter);
  EXPECT_THAT(
      found->at("first").interpreter->error().message,
      testing::AllOf(HasSubstr("no Python interpreter works for toolchain 'first'"), HasSubstr("is Python 3.7.1")));
  EXPECT_TRUE(*found->at("second").interpreter);
}

TEST_F(ResolveToolchainsTest, WhereNoneWorksNothingIsMeasured) {
  const auto found = resolve("old", "old");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::input);
  EXPECT_THAT(found.error().message, HasSubstr("toolchain 'first'"));
}

TEST_F(ResolveToolchainsTest, AnInterpreterThatWasRequestedMustWork) {
  const auto found = resolve("good", "good", {.cxx = {}, .python = path("old"), .env_command = {}});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::input);
  EXPECT_EQ(starts_of("good"), 0U) << "it stands in for those that toolchains name";
}

}  // namespace
}  // namespace tally
