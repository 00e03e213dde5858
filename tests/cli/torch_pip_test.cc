/// The PyTorch of an activated environment, in both languages: the one that `make torch-venv` makes.
#include <fcntl.h>
#include <sys/file.h>

#include <cstdlib>

#include "base/unique_fd.h"
#include "comparison/comparison.h"
#include "harness.h"

namespace tally::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kEnvironment = TALLY_SOURCE_DIR "/build/torch-venv";

class PipTorch : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(std::string(kEnvironment) + "/pinned.txt"))
      GTEST_SKIP() << "no environment with PyTorch from PyPI: `make torch-venv` makes one";
  }

  /// As `source activate` leaves the shell.
  static How activated() {
    How how;
    how.path = std::string(kEnvironment) + "/bin:" + how.path;
    how.more = {{"VIRTUAL_ENV", kEnvironment}};
    return how;
  }

  static Record counted(const How& how, const std::vector<std::string>& filters) {
    std::vector<std::string> arguments{"run", "suites/torch_standard.toml", "--counts-only", "--host-timeout", "900"};
    for (const std::string& filter : filters) arguments.insert(arguments.end(), {"--filter", filter});
    Ran ran;
    Record record = record_of(arguments, ran, how);
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    return record;
  }
};

/// C++ wherever it lies: a TorchScript model's file says which sources it is of, and what loads it has their names in
/// its heap.
TEST_F(PipTorch, BothLanguagesMeasureItExactly) {
  const Record first =
      counted(activated(), {"nn Modules/ReLU *", "nn Modules/Linear *", "Pointwise/Math/add/Case:  0 *"});
  ASSERT_THAT(first.cases, SizeIs(10));
  for (const CaseRecord& one : first.cases) {
    ASSERT_EQ(one.status, CaseStatus::ok) << one.id << ": " << (one.failure ? one.failure->message : "");
    EXPECT_EQ(one.counts->spread, 0) << one.id;
  }
  const auto& cpp = first.environments.at("torch [cpp]").subject;
  const auto& python = first.environments.at("torch [python]").subject;
  EXPECT_EQ(cpp.at("torch.version"), "2.13.0+cpu");
  EXPECT_EQ(cpp.at("torch/lib/libtorch_cpu.so"), python.at("torch/lib/libtorch_cpu.so"));

  const Record again = counted(activated(), {"nn Modules/Linear [[]python*", "Pointwise/Math/add/Case:  0 [[]python*"});
  ASSERT_THAT(again.cases, SizeIs(3));
  const auto folder = TemporaryFolder::make();
  const fs::path modules =
      folder->path() / "modules in a folder that has a much longer name than that of an environment";
  fs::create_directories(modules);
  const fs::path packages = std::string(kEnvironment) + "/lib/python3.11/site-packages";
  ASSERT_TRUE(fs::exists(packages / "torch")) << packages;
  fs::create_directory_symlink(packages / "torch", modules / "torch");
  How elsewhere = activated();
  elsewhere.more.emplace_back("PYTHONPATH", modules.string());
  const Record moved = counted(elsewhere, {"nn Modules/ReLU [[]cpp*", "nn Modules/Linear [[]cpp*"});
  ASSERT_THAT(moved.cases, SizeIs(4));
  for (const Record* other : {&again, &moved}) {
    for (const CaseRecord& one : other->cases)
      EXPECT_EQ(one.counts->replicates, find_case(first, one.id)->counts->replicates) << one.id;
  }
}

TEST_F(PipTorch, ComparingTwoEnvironmentsSwitchesEveryCase) {
  const auto folder = TemporaryFolder::make();
  const std::string out = folder->path() / "ab.json";
  const Ran ran =
      tally({"ab", "suites/torch_quick.toml", "--filter", "Pointwise/*", "--wall-only", "--max-run-time", "0.01", "--a",
             "true", "--b", std::string("source ") + kEnvironment + "/bin/activate", "--json"});
  EXPECT_TRUE(ran.code == 0 || ran.code == 3) << ran.err;
  // Each case names the version on both sides.
  std::size_t switched = 0;
  for (std::size_t at = 0; (at = ran.out.find("torch.version: 1.13", at)) != std::string::npos; ++at) ++switched;
  EXPECT_EQ(switched, 4U) << ran.out;
  EXPECT_NE(ran.out.find("→ 2.13.0+cpu"), std::string::npos);
}

std::vector<std::string> compiled(const std::string& filter) {
  return {"run", suite("compiled"), "--counts-only", "--host-timeout", "900", "--filter", filter};
}

/// Inductor's locks on what it has compiled, as another process that loads it at the same moment holds them.
std::vector<UniqueFd> hold_locks(const fs::path& cache) {
  std::vector<UniqueFd> held;
  for (const auto& entry : fs::recursive_directory_iterator(cache)) {
    if (entry.path().extension() != ".lock" || entry.path().parent_path().filename() != "locks") continue;
    held.emplace_back(::open(entry.path().c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_EQ(::flock(held.back().get(), LOCK_EX | LOCK_NB), 0) << entry.path();
  }
  return held;
}

TEST_F(PipTorch, WhatIsCompiledIsCountedExactlyAndSaysWhatCompilingCame) {
  Ran ran;
  const Record first = record_of(compiled("chain [[]*compiled*"), ran, activated());
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  ASSERT_THAT(first.cases, SizeIs(3));  // C++ has no backward.
  for (const CaseRecord& one : first.cases) {
    EXPECT_EQ(one.counts->spread, 0) << one.id;
    EXPECT_GT(one.artifact->at("seconds"), 0) << one.id;
    EXPECT_EQ(one.artifact->at("graph_breaks"), 0) << one.id;
  }
  EXPECT_TRUE(first.environments.contains("torch [python compiled]"));
  // Two cases load one function: whether the other has it just then must not matter.
  const std::vector<UniqueFd> held = hold_locks(activated().cache);
  EXPECT_FALSE(held.empty());
  const Record again = record_of(compiled("chain [[]*compiled*"), ran, activated());
  ASSERT_THAT(again.cases, SizeIs(3)) << ran.err << ran.out;
  for (const CaseRecord& one : again.cases) {
    ASSERT_TRUE(one.counts) << one.id << ": " << (one.failure ? one.failure->message : "");
    EXPECT_EQ(one.counts->replicates, find_case(first, one.id)->counts->replicates) << one.id;
  }
  // Compiled anew, and loaded from a folder with a longer name, which moves Python's by up to 0.02 %.
  const auto folder = TemporaryFolder::make();
  How cold = activated();
  cold.cache = folder->path() / "a cache that has a longer name";
  const Record second = record_of(compiled("chain [[]python compiled*"), ran, cold);
  ASSERT_THAT(second.cases, SizeIs(2)) << ran.err << ran.out;
  for (const CaseRecord& one : second.cases) {
    const double before = find_case(first, one.id)->counts->per_iteration;
    EXPECT_NEAR(one.counts->per_iteration, before, before * 1e-3) << one.id;
  }
}

TEST_F(PipTorch, WhatWouldBeCompiledAgainOrInPartsIsAnError) {
  Ran ran;
  const Record record = record_of(compiled("*[[]python compiled]"), ran, activated());
  EXPECT_EQ(ran.code, 1) << ran.err;
  const Failure grows = find_case(record, "grows [python compiled]")->failure.value_or(Failure());
  EXPECT_THAT(grows.message, HasSubstr("size mismatch at index 0. expected 4, actual 8"));
  const Failure breaks = find_case(record, "breaks [python compiled]")->failure.value_or(Failure());
  EXPECT_EQ(breaks.stage, "artifact");
  EXPECT_THAT(breaks.message, HasSubstr("its graph breaks 1 times, and a compiled case has none"));
}

TEST(Compiled, APyTorchThatHasNoneSaysSo) {
  const Ran ran = tally({"run", suite("compiled"), "--counts-only", "--filter", "chain [[]*compiled]"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("no compiled cases in Python with toolchain 'torch': PyTorch "));
  EXPECT_THAT(ran.out, HasSubstr("no compiled cases in C++ with toolchain 'torch': PyTorch "));
}

}  // namespace
}  // namespace tally::cli_test
