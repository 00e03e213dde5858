#include "engine/session_rules.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

class SessionRulesTest : public ::testing::Test {
 protected:
  SessionRulesTest() {
    case_.language = Language::python;
    case_.toolchain = "python";
    toolchains_.try_emplace("python");
  }

  DialogueRules rules(const HostKind& kind) {
    const ExecutionRequest request{.cases = std::span(&case_, 1),
                                   .settings = settings_,
                                   .toolchains = toolchains_,
                                   .surroundings = around_,
                                   .examiner = {}};
    return SessionRules(request).of(kind, {.index = 0, .mode = Mode::counts}, {});
  }

  Case case_;
  Settings settings_;
  std::map<std::string, ResolvedToolchain> toolchains_;
  HostSurroundings around_;
  const HostKind counted_{.toolchain = "python", .language = Language::python, .counted = true};
};

TEST_F(SessionRulesTest, TheCaseChildExecutesAReplicateItself) { EXPECT_FALSE(rules(counted_).forks_all); }

TEST_F(SessionRulesTest, OfAProgramThatMeasuresItselfAllReplicatesAreForksOfOneState) {
  around_.here = "/run/exec-1.here";
  EXPECT_TRUE(rules(counted_).forks_all);
  const HostKind cpp{.toolchain = "cpp", .language = Language::cpp, .counted = true};
  EXPECT_FALSE(rules(cpp).forks_all) << "it has a host of its own";
}

}  // namespace
}  // namespace tally
