// The toolchains that every suite knows are in the language of suites, and can be read: nobody else asks.
#include "definition/builtin_toolchains.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "definition/read_suite.h"
#include "definition/read_toolchain.h"

namespace tally {
namespace {

using testing::ElementsAre;

Result<std::string> nothing(const std::string& path) { return fail(ErrorKind::input, "not there", path); }

TEST(BuiltinToolchains, EachIsReadAndCalledLikeItsFile) {
  std::vector<Toolchain> known;
  for (const ToolchainText& one : builtin_toolchain_texts()) {
    const auto read = parse_toolchains(one.text, std::string(one.name) + ".toml", known);
    ASSERT_TRUE(read) << describe(read.error());
    ASSERT_EQ(read->size(), 1U) << one.name;
    EXPECT_EQ(read->front().name, one.name);
    known.push_back(read->front());
  }
  EXPECT_EQ(known, builtin_toolchains());
}

TEST(BuiltinToolchains, PythonIsCppUnderAnotherName) {
  Toolchain python = builtin_toolchains()[1];
  ASSERT_EQ(python.name, "python");
  python.name = "cpp";
  EXPECT_EQ(python, builtin_toolchains()[0]);
}

// What others rely on by name.
TEST(BuiltinToolchains, HaveTheWordsThatSuitesAndRecordsHold) {
  const Toolchain& torch = builtin_toolchains()[2];
  EXPECT_NE(find_runtime(torch, "torchscript"), nullptr);
  EXPECT_NE(find_runtime(torch, "compiled"), nullptr);
  EXPECT_EQ(find_runtime(torch, "interpreted"), nullptr);
  EXPECT_EQ(torch.cpp.prelude.front(), "sys/mman.h");  // Not after those of cpp.
  std::vector<std::string> noise;
  for (const FunctionRule& rule : noise_rules(torch, Language::python)) noise.push_back(rule.name);
  EXPECT_THAT(noise,
              ElementsAre("dict-probing", "allocator", "interned-strings", "garbage-collection", "lazy-binding"));
  EXPECT_EQ(noise_rules(torch, Language::python), language_noise(Language::python));
  EXPECT_TRUE(noise_rules(torch, Language::cpp).empty());
}

/// "| `allocator` | `malloc`, `free` | `libc*.so*` | why |"
std::string documented(const FunctionRule& rule) {
  std::string functions;
  for (const std::string& function : rule.functions)
    functions += fmt::format("{}`{}`", functions.empty() ? "" : ", ", function);
  return fmt::format("| `{}` | {} | {} | {} |\n", rule.name, functions,
                     rule.object.empty() ? "any" : fmt::format("`{}`", rule.object), rule.reason);
}

TEST(BuiltinToolchains, WhatADenoisedCountLeavesOutIsDocumentedToTheFunction) {
  const std::string page = read_file(TALLY_SOURCE_DIR "/docs/reference/record.md").value();
  std::string table = "| rule | functions | of object | why |\n|---|---|---|---|\n";
  for (const Toolchain& one : builtin_toolchains()) {
    EXPECT_EQ(noise_rules(one, Language::python), language_noise(Language::python)) << one.name;
    EXPECT_TRUE(noise_rules(one, Language::cpp).empty()) << one.name;
  }
  for (const FunctionRule& rule : language_noise(Language::python)) table += documented(rule);
  EXPECT_NE(page.find(table + "\n"), std::string::npos) << "docs/reference/record.md should have\n" << table;
}

TEST(BuiltinToolchains, PastedIntoASuiteUnderAnotherNameTheyAreTheSame) {
  for (const ToolchainText& one : builtin_toolchain_texts()) {
    const std::string text = "schema = 1\n" + toolchain_to_paste(one, "mine");
    const Result<Suite> suite = parse_suite(text, "/home/me/suite.toml", nothing);
    ASSERT_TRUE(suite) << describe(suite.error()) << text;
    Toolchain pasted = *suite->toolchain("mine");
    pasted.name = one.name;
    EXPECT_EQ(pasted, *suite->toolchain(std::string(one.name))) << one.name;
  }
}

}  // namespace
}  // namespace tally
