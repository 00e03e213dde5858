#include "profile/function_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "profile/callgrind.h"
#include "profile/rules.h"

namespace tally {
namespace {

FunctionCounts random_counts(std::mt19937& random) {
  FunctionCounts counts;
  for (int i = 0; i < 30; ++i) {
    counts.add(
        {"o" + std::to_string(random() % 3), "f" + std::to_string(random() % 4), "n" + std::to_string(random() % 9)},
        static_cast<double>(random() % 1000000) - 500000);
  }
  return counts;
}

TEST(FunctionCounts, AlgebraHolds) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const FunctionCounts a = random_counts(random);
    const FunctionCounts b = random_counts(random);
    const FunctionCounts c = random_counts(random);
    EXPECT_TRUE((a - a).empty());
    EXPECT_EQ((a + b) - b, a);
    EXPECT_EQ(a + b, b + a);
    EXPECT_EQ((a + b) + c, a + (b + c));
    EXPECT_EQ(a.scaled(3), a + a + a);
    EXPECT_TRUE(a.scaled(0).empty());
    EXPECT_DOUBLE_EQ((a - b).sum(), a.sum() - b.sum());
    for (const Grouping by : {Grouping::function, Grouping::file, Grouping::object}) {
      EXPECT_DOUBLE_EQ(a.grouped(by).sum(), a.sum());
      EXPECT_EQ((a + b).grouped(by), a.grouped(by) + b.grouped(by));
    }
    const auto even = [](const FunctionKey& key) { return key.name.back() % 2 == 0; };
    const auto odd = [](const FunctionKey& key) { return key.name.back() % 2 != 0; };
    EXPECT_EQ(a.filtered(even) + a.filtered(odd), a);
  }
}

TEST(FunctionCounts, AddingOrSubtractingItself) {
  FunctionCounts a;
  a.add({"o", "f", "n"}, 2);
  a += a;
  EXPECT_EQ(a.of({"o", "f", "n"}), 4);
  a -= a;
  EXPECT_TRUE(a.empty());
}

TEST(FunctionCounts, SortsByMagnitude) {
  FunctionCounts a;
  a.add({"", "", "small"}, 1);
  a.add({"", "", "negative"}, -5);
  a.add({"", "", "big"}, 4);
  const auto sorted = a.sorted();
  EXPECT_EQ(sorted[0].first.name, "negative");
  EXPECT_EQ(sorted[2].first.name, "small");
}

/// main calls foo once and nothing else; foo continues in a part of itself, and calls itself from there.
constexpr std::string_view kOutlined = R"(events: Ir
ob=/bin/a
fl=a.c
fn=main
1 10
cfn=foo
calls=1 0
2 1000
fn=foo
5 50
cfn=foo.part.0
calls=2 0
6 950
fn=foo.part.0
7 900
cfn=foo
calls=1 0
8 400
)";

TEST(FunctionCounts, AFunctionAndAPartOfItAreOneWhereNamesAreStandard) {
  const auto profile = parse_callgrind(kOutlined);
  ASSERT_TRUE(profile);
  const FunctionKey foo = {"a", "a.c", "foo"};
  const FunctionCounts all = function_counts(*profile, 0, Inclusion::inclusive, standardize);
  EXPECT_EQ(all.of(foo), 1000) << "not once more for its part";
  EXPECT_EQ(all.of({"a", "a.c", "main"}), 1010);
  EXPECT_EQ(function_calls(*profile, standardize).of(foo), 2) << "of main, and of itself";
  const FunctionCounts by_its_names = function_counts(*profile, 0, Inclusion::inclusive);
  EXPECT_EQ(by_its_names.of({"/bin/a", "a.c", "foo.part.0"}), 950);
  EXPECT_EQ(function_calls(*profile).of({"/bin/a", "a.c", "foo.part.0"}), 2);
}

TEST(Rules, StandardNamesAreSharedByBuilds) {
  EXPECT_EQ(standardize(FunctionKey{"/home/ci/lib/libtorch_cpu.so.1.13", "/home/ci/pytorch/aten/src/ATen/Functions.cpp",
                                    "_ZN2at3addEv.constprop.0"}),
            (FunctionKey{"libtorch_cpu.so", "aten/src/ATen/Functions.cpp", "at::add()"}));
  EXPECT_EQ(
      standardize(FunctionKey{"/x/torch.libs/libgomp-a34b3233.so.1", "./malloc/./malloc/malloc.c", "fibonacci'2"}),
      (FunctionKey{"libgomp.so", "malloc/malloc.c", "fibonacci"}));
  const std::string digest = "8697960a34cf785d6dc0eea442c0fa7a";
  EXPECT_EQ(
      standardize(FunctionKey{"/cache/" + digest + ".so", "", "void run<tally_" + digest + "::$_1>(tally_regions*)"}),
      (FunctionKey{"statement.so", "", "void run<statement::$_1>(tally_regions*)"}));
  EXPECT_EQ(standardize(FunctionKey{"???", "???", "0x00000000001090e0"}).name, "???");
}

TEST(Rules, NoiseIsTakenAwayByName) {
  FunctionCounts counts;
  counts.add({"/usr/bin/python3.11", "", "_Py_dict_lookup"}, 5);
  counts.add({"/usr/bin/python3.11", "", "_PyEval_EvalFrameDefault"}, 7);
  counts.add({"/lib/libc.so.6", "", "malloc"}, 3);
  counts.add({"/opt/mine.so", "", "malloc"}, 2);  // an allocator that is somebody's subject stays
  const std::vector<FunctionRule> rules = {{"dict-probing", "", {"lookdict*", "_Py_dict_lookup"}, ""},
                                           {"allocator", "", {"malloc", "free"}, "libc*.so*"}};
  EXPECT_EQ(denoise(counts, rules).sum(), 9);
  EXPECT_EQ(denoise(counts, {}), counts);
}

TEST(Rules, LintNamesWhatRan) {
  FunctionCounts counts;
  counts.add({"/lib/libc.so.6", "", "clock_gettime@@GLIBC_2.17"}, 50);
  counts.add({"/lib/libc.so.6", "", "memcpy"}, 500);
  const auto findings = lint(counts, builtin_lint());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "clock");
}

}  // namespace
}  // namespace tally
