// Suites and what they expand to: tests/golden/plan/NAME.toml gives NAME.json, the shipped suites give NAME.ids, and
// each suite of tests/golden/suite_errors gives the one error that stands below it. TALLY_APPROVE=1 rewrites what is
// expected.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>

#include "base/golden.h"
#include "definition/read_suite.h"
#include "plan/plan.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TALLY_SOURCE_DIR;

Result<std::string> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorKind::io, "cannot read the suite: No such file or directory", path.string());
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Result<Plan> plan_of(const std::string& text, const std::string& name, const IncludeResolver& resolve) {
  const Result<Suite> suite = parse_suite(text, name, resolve);
  if (!suite) return std::unexpected(suite.error());
  return make_plan(*suite, {});
}

/// As if the folder of the suite were the current one, so that no path of the machine is in a message.
Result<Plan> plan_of(const fs::path& path) {
  const Result<std::string> bytes = read(path);
  if (!bytes) return std::unexpected(bytes.error());
  return plan_of(*bytes, path.filename().string(),
                 [&](const std::string& name) { return read(path.parent_path() / name); });
}

std::vector<std::string> suites_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kRoot / folder)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) { return info.param; }

class PlanGolden : public testing::TestWithParam<std::string> {};
TEST_P(PlanGolden, Json) {
  const fs::path path = kRoot / "tests/golden/plan" / (GetParam() + ".toml");
  const Result<Plan> plan = plan_of(path);
  ASSERT_TRUE(plan) << describe(plan.error());
  expect_golden("plan/" + GetParam() + ".json", plan_json(*plan));
}
INSTANTIATE_TEST_SUITE_P(Forms, PlanGolden, testing::ValuesIn(suites_in("tests/golden/plan")), test_name);

const fs::path kErrors = kRoot / "tests/golden/suite_errors";

/// A suite with one mistake, in a file with others of its kind: a line "=== NAME", the suite's text, and a line
/// "--- ERROR".
struct WrongSuite {
  fs::path file;
  std::string name;
  std::string text;
  std::string error;
  friend void PrintTo(const WrongSuite& one, std::ostream* out) { *out << one.name; }
};

std::vector<WrongSuite> wrong_suites_in(const fs::path& file) {
  const std::string all = read(file).value_or("");
  std::vector<WrongSuite> found;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t text = all.find('\n', at) + 1;
    const std::size_t error = all.find("\n--- ", text) + 5;
    const std::size_t end = all.find('\n', error);
    found.push_back(
        {file, all.substr(at + 4, text - at - 5), all.substr(text, error - text - 4), all.substr(error, end - error)});
    at = end + 1;
  }
  return found;
}

std::vector<WrongSuite> wrong_suites() {
  std::vector<WrongSuite> all;
  for (const auto& entry : fs::directory_iterator(kErrors)) {
    if (entry.path().extension() == ".txt") std::ranges::move(wrong_suites_in(entry.path()), std::back_inserter(all));
  }
  std::ranges::sort(all, {}, &WrongSuite::name);
  return all;
}

void approve(const WrongSuite& suite, const std::string& error) {
  std::string all;
  for (const WrongSuite& one : wrong_suites_in(suite.file))
    all += "=== " + one.name + "\n" + one.text + "--- " + (one.name == suite.name ? error : one.error) + "\n";
  std::ofstream(suite.file, std::ios::binary) << all;
}

class SuiteError : public testing::TestWithParam<WrongSuite> {};
TEST_P(SuiteError, Message) {
  const WrongSuite& suite = GetParam();
  const std::string file = suite.name + ".toml";
  const Result<Plan> plan = plan_of(
      suite.text, file, [&](const std::string& name) { return name == file ? suite.text : read(kErrors / name); });
  ASSERT_FALSE(plan) << suite.name << " is accepted";
  EXPECT_EQ(plan.error().kind, ErrorKind::input);
  EXPECT_TRUE(plan.error().where.starts_with(file + ":")) << plan.error().where;
  EXPECT_FALSE(plan.error().hint.empty());
  const std::string error = describe(plan.error());
  if (std::getenv("TALLY_APPROVE") != nullptr) return approve(suite, error);
  EXPECT_EQ(error, suite.error) << "if this is meant: TALLY_APPROVE=1, then read the difference of " << suite.file;
}
INSTANTIATE_TEST_SUITE_P(Rules, SuiteError, testing::ValuesIn(wrong_suites()),
                         [](const auto& info) { return info.param.name; });

TEST(SuiteErrors, AreAllRead) { EXPECT_EQ(wrong_suites().size(), 134U) << "another mistake? count it here"; }

// The ids of what we ship: they are what stored records are matched by.
class ShippedSuite : public testing::TestWithParam<std::string> {};
TEST_P(ShippedSuite, Ids) {
  const Result<Plan> plan = plan_of(kRoot / "suites" / (GetParam() + ".toml"));
  ASSERT_TRUE(plan) << describe(plan.error());
  std::string ids;
  for (const Case& c : plan->cases) ids += c.id + "\n";
  expect_golden("plan/" + GetParam() + ".ids", ids);
}
INSTANTIATE_TEST_SUITE_P(Suites, ShippedSuite, testing::ValuesIn(suites_in("suites")), test_name);

// A count of the quick suite is the standard suite's of the same id: the same code in the same setup.
TEST(ShippedSuites, TheQuickOneIsAPartOfTheStandardOne) {
  const Result<Plan> quick = plan_of(kRoot / "suites/torch_quick.toml");
  const Result<Plan> standard = plan_of(kRoot / "suites/torch_standard.toml");
  ASSERT_TRUE(quick && standard);
  for (const Case& one : quick->cases) {
    const auto same = std::ranges::find(standard->cases, one.id, &Case::id);
    ASSERT_NE(same, standard->cases.end()) << one.id;
    EXPECT_EQ(one.digest, same->digest) << one.id;
  }
}

// An id means one thing, whichever suite a record is of.
TEST(ShippedSuites, WhatGoesBeyondTheStandardOneHasIdsOfItsOwn) {
  const Result<Plan> more = plan_of(kRoot / "suites/torch_more.toml");
  const Result<Plan> newer = plan_of(kRoot / "suites/torch2.toml");
  const Result<Plan> standard = plan_of(kRoot / "suites/torch_standard.toml");
  ASSERT_TRUE(more && newer && standard);
  for (const Plan* plan : {&*more, &*newer}) {
    for (const Case& one : plan->cases) {
      EXPECT_EQ(std::ranges::count(standard->cases, one.id, &Case::id), 0) << one.id;
      EXPECT_TRUE(plan == &*more || std::ranges::count(more->cases, one.id, &Case::id) == 0) << one.id;
    }
  }
}

/// The ```toml blocks of a page. A block that begins with "# NAME.toml" is what later blocks include by that name.
std::vector<std::string> toml_blocks(const std::string& page) {
  constexpr std::string_view kOpen = "\n```toml\n";
  std::vector<std::string> blocks;
  for (std::size_t at = page.find(kOpen); at != std::string::npos; at = page.find(kOpen, at)) {
    const std::size_t begin = at + kOpen.size();
    at = page.find("\n```\n", begin);
    blocks.push_back(page.substr(begin, at - begin) + "\n");
  }
  return blocks;
}

// Whoever copies an example from the page has a suite that works, and that gives the cases which the page promises.
/// What the program of examples/program lists.
Result<Suite> words_bench(const Program& program) {
  Suite listed;
  Toolchain toolchain;
  toolchain.name = "program";
  toolchain.own_host.executable = program.path;
  if (Status ok = listed.add_toolchain(std::move(toolchain)); !ok) return std::unexpected(ok.error());
  Benchmark count{.label = {"words_bench", "count"},
                  .cpp = {"count/${words}"},
                  .params = {{.name = "words", .values = {"10", "1000"}}},
                  .options = {.toolchain = "program"}};
  if (Status ok = listed.add(std::move(count)); !ok) return std::unexpected(ok.error());
  return listed;
}

TEST(Docs, EveryExampleExpands) {
  const std::vector<std::string> blocks = toml_blocks(read(kRoot / "docs/reference/suites.md").value_or(""));
  ASSERT_EQ(blocks.size(), 16U) << "a new example? count it here";
  const IncludeResolver resolve = [&](const std::string& name) -> Result<std::string> {
    for (const std::string& block : blocks) {
      if (block.starts_with("# " + name + "\n")) return block;
    }
    return fail(ErrorKind::input, "no such block", name);
  };
  std::string ids;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Result<Suite> suite = parse_suite(blocks[i], "example.toml", resolve, words_bench);
    ASSERT_TRUE(suite) << describe(suite.error()) << "\n" << blocks[i];
    const Result<Plan> plan = make_plan(*suite, {});
    ASSERT_TRUE(plan) << describe(plan.error()) << "\n" << blocks[i];
    ids += "example " + std::to_string(i + 1) + "\n";
    for (const Case& c : plan->cases) ids += "  " + c.id + "\n";
  }
  expect_golden("plan/docs_suites.ids", ids);
}

/// A page's text between a line and the next empty or closing one.
std::string after(const std::string& page, const std::string& line, const std::string& end) {
  const std::size_t begin = page.find("\n" + line + "\n") + line.size() + 2;
  return page.substr(begin, page.find(end, begin) - begin);
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

TEST(Docs, TheExampleInCppIsThisCode) {
  // clang-format off
  // NOLINTBEGIN(bugprone-unused-return-value): make_plan() below shows whether it was added
  tally::Suite suite;
  suite.add(tally::Benchmark{.label = {"sum"},
                             .cpp = {"tally::keep(std::accumulate(v.begin(), v.end(), 0));"},
                             .setup = {{.cpp = {"std::vector<int> v(1000, 1);"}}}});
  // NOLINTEND(bugprone-unused-return-value)
  // clang-format on
  const Result<Plan> plan = make_plan(suite, {});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->cases.size(), 1U);
  EXPECT_EQ(plan->cases[0].id, "sum [cpp]");
  const std::string example = after(read(kRoot / "docs/reference/suites.md").value_or(""), "```cpp", "```");
  EXPECT_TRUE(example.contains("suite.add(")) << example;
  EXPECT_TRUE(without_blanks(read(kRoot / "src/plan/golden_test.cc").value_or("")).contains(without_blanks(example)));
}

TEST(Docs, TheErrorsAreWhatTheReaderSays) {
  std::string known;
  for (const WrongSuite& suite : wrong_suites()) known += suite.error + "\n";
  const std::string page = read(kRoot / "docs/reference/suites.md").value_or("");
  constexpr std::string_view kLine = "\n    mine.toml:";
  int errors = 0;
  for (std::size_t at = page.find(kLine); at != std::string::npos; at = page.find(kLine, at + 1)) {
    const std::size_t message = page.find(": ", at) + 2;
    const std::string text = page.substr(message, page.find('\n', message) - message);
    EXPECT_TRUE(known.contains(": " + text + "\n")) << text;
    ++errors;
  }
  EXPECT_EQ(errors, 4);
}

// Numbers with commas and dotless letters are for people; an expansion is for programs.
TEST(PlanGoldenLocale, TheLocaleChangesNothing) {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\1"; }
  };
  for (const std::string& name : suites_in("tests/golden/plan")) {
    const fs::path path = kRoot / "tests/golden/plan" / (name + ".toml");
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
    const Result<Plan> plan = plan_of(path);
    const std::string json = plan ? plan_json(*plan) : "";
    std::locale::global(before);
    EXPECT_EQ(json, read(fs::path(path).replace_extension(".json")).value_or("")) << name;
  }
}

}  // namespace
}  // namespace tally
