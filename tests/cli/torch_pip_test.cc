/// The PyTorch of an activated environment, in both languages: the one that `make torch-venv` makes.
#include <cstdlib>

#include "comparison/comparison.h"
#include "harness.h"

namespace tally::cli_test {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;
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

  static Record counted() {
    Ran ran;
    Record record = record_of({"run", "suites/torch_quick.toml", "--counts-only", "--host-timeout", "900", "--filter",
                               "*Linear*", "--filter", "Pointwise/*"},
                              ran, activated());
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    return record;
  }
};

TEST_F(PipTorch, BothLanguagesMeasureItExactly) {
  const Record first = counted();
  const Record second = counted();
  ASSERT_THAT(first.cases, SizeIs(testing::Ge(6)));
  for (const CaseRecord& one : first.cases) {
    ASSERT_EQ(one.status, CaseStatus::ok) << one.id << ": " << (one.failure ? one.failure->message : "");
    EXPECT_EQ(one.counts->spread, 0) << one.id;
    EXPECT_EQ(one.counts->replicates, find_case(second, one.id)->counts->replicates) << one.id;
  }
  const auto& cpp = first.environments.at("torch [cpp]").subject;
  const auto& python = first.environments.at("torch [python]").subject;
  EXPECT_EQ(cpp.at("torch.version"), "2.13.0+cpu");
  EXPECT_EQ(cpp.at("torch/lib/libtorch_cpu.so"), python.at("torch/lib/libtorch_cpu.so"));
  EXPECT_EQ(first.fingerprint, second.fingerprint);
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

}  // namespace
}  // namespace tally::cli_test
