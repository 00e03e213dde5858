#include "profile/python_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/callgrind.h"

namespace tally {
namespace {

using testing::HasSubstr;

/// What Callgrind observed, function by function, and what was counted beside it.
struct Observation {
  std::string text = "events: Ir\nob=/lib/libpython.so\n";
  PythonCalls calls;

  void function(const std::string& name, std::uint64_t own) {
    text += "fl=\nfn=" + name + "\n1 " + std::to_string(own) + "\n";
  }
  void call(const std::string& name, int count, std::uint64_t cost, const std::string& object = "") {
    const bool is_ours = name.starts_with("tally_");
    text += "cob=" + (object.empty() ? is_ours ? "/opt/_tally_functions.abi3.so" : "/lib/libpython.so" : object) +
            "\ncfl=\ncfn=" + name + "\ncalls=" + std::to_string(count) + " 0\n1 " + std::to_string(cost) + "\n";
  }

  [[nodiscard]] Result<PythonProfile> read(std::uint64_t loop = 7) const {
    return python_profile(*parse_callgrind(text), calls, loop);
  }
};

/// `statement` calls f twice, f sorts with a key g, once, and calls itself, once. Observing takes 54 instructions a
/// call, 4 of them in the trampoline. Numbers by hand: the evaluator takes 10 for f, 20 for g, sorting 100 alone.
struct Observed : Observation {
  Observed() {
    calls.standard = "/usr/lib/python3.11";
    calls.path = {"/home/me/project", "/usr/lib/python3.11"};
    calls.functions = {{}, {"f", "/home/me/project/tools/sums.py", 3}, {"g", "/home/me/project/tools/sums.py", 8}};
    calls.calls = {{0, 2, 2, 2}, {2, 4, 1, 0}, {2, 3, 1, 0}};
    const std::uint64_t g = 20;
    const std::uint64_t again = 10;
    const std::uint64_t sorting = 100 + 50 + 4 + g;
    const std::uint64_t f = 20 + sorting + 50 + 4 + again;
    function("_PyEval_EvalFrameDefault'_PyEval_Vector", 30);
    call("tally_hook", 2, 108 + f);
    function("_PyEval_EvalFrameDefault'tally_py_0'tally_hook", 20);
    call("0x1234 [PLT]", 1, sorting);
    call("tally_hook", 1, 54 + again);
    function("0x1234 [PLT]", 0);
    call("list_sort", 1, sorting);
    function("list_sort", 100);
    call("tally_hook", 1, 54 + g);
    function("_PyEval_EvalFrameDefault'tally_py_1'tally_hook", g);
    function("_PyEval_EvalFrameDefault'tally_py_2'tally_hook", again);
    text += "ob=/opt/_tally_functions.abi3.so\n";
    function("tally_hook", 200);
    call("tally_py_0'tally_hook'_PyEval_EvalFrameDefault'_PyEval_Vector", 2, 8 + f);
    call("tally_py_1'tally_hook'list_sort'0x1234 [PLT]'_PyEval_EvalFrameDefault'tally_py_0'tally_hook", 1, 4 + g);
    call("tally_py_2'tally_hook'_PyEval_EvalFrameDefault'tally_py_0'tally_hook", 1, 4 + again);
    function("tally_py_0'tally_hook'_PyEval_EvalFrameDefault'_PyEval_Vector", 8);
    call("_PyEval_EvalFrameDefault'tally_py_0'tally_hook", 2, f, "/lib/libpython.so");
    function("tally_py_1'tally_hook'list_sort'0x1234 [PLT]'_PyEval_EvalFrameDefault'tally_py_0'tally_hook", 4);
    call("_PyEval_EvalFrameDefault'tally_py_1'tally_hook", 1, g, "/lib/libpython.so");
    function("tally_py_2'tally_hook'_PyEval_EvalFrameDefault'tally_py_0'tally_hook", 4);
    call("_PyEval_EvalFrameDefault'tally_py_2'tally_hook", 1, again, "/lib/libpython.so");
  }
};

/// `statement` calls f once by itself, where it calls g 30 times, and twice through `list`, where it calls nothing. The
/// evaluator takes 5 for each f and 10 for each g, `list` 40 alone; observing is as above.
struct CalledInTwoWays : Observation {
  CalledInTwoWays() {
    calls.standard = "/usr/lib/python3.11";
    calls.path = {"/home/me/project", "/usr/lib/python3.11"};
    calls.functions = {{}, {"f", "/home/me/project/tools/sums.py", 3}, {"g", "/home/me/project/tools/sums.py", 8}};
    calls.calls = {{0, 2, 3, 30}, {2, 4, 30, 0}};
    const std::uint64_t g = 10;
    const std::uint64_t direct = 5 + 30 * (54 + g);
    const std::uint64_t listed = 10;
    function("_PyEval_EvalFrameDefault'_PyEval_Vector", 30);
    call("tally_hook", 1, 54 + direct);
    call("list_vectorcall", 1, 40 + 108 + listed);
    function("list_vectorcall", 40);
    call("tally_hook", 2, 108 + listed);
    function("_PyEval_EvalFrameDefault'tally_py_0'tally_hook", 15);
    call("tally_hook", 30, 30 * (54 + g));
    function("_PyEval_EvalFrameDefault'tally_py_1'tally_hook", 300);
    text += "ob=/opt/_tally_functions.abi3.so\n";
    const std::string by_itself = "tally_py_0'tally_hook'_PyEval_EvalFrameDefault'_PyEval_Vector";
    const std::string by_list = "tally_py_0'tally_hook'list_vectorcall'_PyEval_EvalFrameDefault'_PyEval_Vector";
    const std::string inner = "tally_py_1'tally_hook'_PyEval_EvalFrameDefault'tally_py_0'tally_hook";
    function("tally_hook", 1650);
    call(by_itself, 1, 4 + direct);
    call(by_list, 2, 8 + listed);
    call(inner, 30, 30 * (4 + g));
    function(by_itself, 4);
    call("_PyEval_EvalFrameDefault'tally_py_0'tally_hook", 1, direct, "/lib/libpython.so");
    function(by_list, 8);
    call("_PyEval_EvalFrameDefault'tally_py_0'tally_hook", 2, listed, "/lib/libpython.so");
    function(inner, 120);
    call("_PyEval_EvalFrameDefault'tally_py_1'tally_hook", 30, 300, "/lib/libpython.so");
  }
};

double of(const FunctionCounts& counts, const std::string& name) {
  double sum = 0;
  for (const auto& [key, count] : counts.entries()) sum += key.name == name ? count : 0;
  return sum;
}

constexpr const char* kF = "tools.sums.f (sums.py:3)";
constexpr const char* kG = "tools.sums.g (sums.py:8)";

TEST(PythonFunctions, OwnCostsAreWithoutTheLoopAndTheObserverAndSumToTheRest) {
  const auto read = Observed().read();
  ASSERT_TRUE(read) << describe(read.error());
  EXPECT_EQ(read->observing, 4 * 54U);
  const FunctionCounts own = function_counts(read->profile, 0, Inclusion::exclusive);
  EXPECT_EQ(of(own, "statement"), 30 - 7);
  EXPECT_EQ(of(own, kF), 20);
  EXPECT_EQ(of(own, std::string(kF) + " (recursive)"), 10);
  EXPECT_EQ(of(own, kG), 20);
  EXPECT_EQ(of(own, "list_sort"), 100);
  EXPECT_EQ(own.sum(), 23 + 20 + 10 + 20 + 100);
  EXPECT_EQ(read->profile.totals, std::vector<std::uint64_t>{173});
}

TEST(PythonFunctions, InclusiveCostsCountARecursionOnce) {
  const auto read = Observed().read();
  ASSERT_TRUE(read);
  const Profile folded = python_only(read->profile);
  const FunctionCounts all = function_counts(folded, 0, Inclusion::inclusive);
  EXPECT_EQ(of(all, "statement"), 173);
  EXPECT_EQ(of(all, kF), 150);
  EXPECT_EQ(of(all, kG), 20);
  const FunctionCounts own = function_counts(folded, 0, Inclusion::exclusive);
  EXPECT_EQ(of(own, kF), 130) << "with what it sorts, and with what it does within itself";
  EXPECT_EQ(own.sum(), 173);
  const FunctionCounts calls = function_calls(folded);
  EXPECT_EQ(of(calls, kF), 3);
  EXPECT_EQ(of(calls, kG), 1);
}

TEST(PythonFunctions, OfAFunctionThatIsCalledInTwoWaysNoWayHasAnotherOnesCalls) {
  const auto read = CalledInTwoWays().read();
  ASSERT_TRUE(read) << describe(read.error());
  const FunctionCounts own = function_counts(read->profile, 0, Inclusion::exclusive);
  EXPECT_EQ(own.sum(), 63 + 15 + 300);
  EXPECT_EQ(of(own, "statement"), 63) << "with what list takes by itself: how much is beneath it is not known";
  const FunctionCounts all = function_counts(read->profile, 0, Inclusion::inclusive);
  EXPECT_EQ(of(all, kF), 15 + 300);
  for (const auto& [key, cost] : all.entries()) EXPECT_LE(cost, own.sum()) << key.name;
  // Where f calls nothing, both ways are known.
  CalledInTwoWays leaf;
  leaf.calls.calls[0].beneath = 0;
  const auto both = leaf.read();
  ASSERT_TRUE(both);
  EXPECT_EQ(of(function_counts(both->profile, 0, Inclusion::exclusive), "list_vectorcall"), 40);
}

TEST(PythonFunctions, WhatDoesNotAgreeIsRefused) {
  Observed other;
  other.calls.calls[0].count = 3;
  const auto read = other.read();
  ASSERT_FALSE(read);
  EXPECT_THAT(describe(read.error()), HasSubstr("the number of calls"));
  Observed uneven;
  uneven.text += "ob=/opt/_tally_functions.abi3.so\n";
  uneven.function("tally_hook", 1);
  EXPECT_THAT(describe(uneven.read().error()), HasSubstr("what observing a call takes varies"));
}

TEST(PythonFunctions, NamesSayWhereAFunctionComesFrom) {
  const PythonCalls calls{.standard = "/usr/lib/python3.11",
                          .path = {"/usr/lib/python3.11", "/usr/lib/python3/dist-packages", "/w"},
                          .functions = {},
                          .calls = {}};
  const auto name = [&](const char* function, const char* file, std::uint64_t line) {
    const PythonFunction one{function, file, line};
    return display_name(one, calls) + ", " + python_object(one, calls);
  };
  EXPECT_EQ(name("total", "/w/ledger.py", 2), "ledger.total (ledger.py:2), Python");
  EXPECT_EQ(name("wraps", "/usr/lib/python3.11/functools.py", 5),
            "functools.wraps (functools.py:5), Python (standard library)");
  EXPECT_EQ(name("relu", "/usr/lib/python3/dist-packages/torch/nn/__init__.py", 5),
            "torch.nn.relu (__init__.py:5), Python (site-packages)");
  EXPECT_EQ(name("f", "suite.toml", 7), "f (suite.toml:7), Python");
  EXPECT_EQ(name("<lambda>", "<string>", 0), "<lambda> (generated code), Python");
  EXPECT_EQ(without_line({"Python", "x", "ledger.total (ledger.py:2)"}).name, "ledger.total (ledger.py)");
  EXPECT_EQ(without_line({"Python", "x", "ledger.total (ledger.py:2) (recursive)"}).name,
            "ledger.total (ledger.py) (recursive)");
  EXPECT_EQ(without_line({"libx.so", "x", "f (x.py:2)"}).name, "f (x.py:2)");
}

TEST(PythonFunctions, ADifferenceFromTheCountHasItsDirection) {
  EXPECT_EQ(note_of_difference(99.71, 100), "0.29 % fewer instructions than are counted");
  EXPECT_THAT(note_of_difference(112, 100), HasSubstr("12 % more instructions than are counted: the interpreter"));
  EXPECT_EQ(note_of_difference(100.04, 100), "");
  EXPECT_EQ(note_of_difference(99.96, 100), "");
  EXPECT_EQ(note_of_difference(100, 0), "") << "nothing was counted";
}

}  // namespace
}  // namespace tally
