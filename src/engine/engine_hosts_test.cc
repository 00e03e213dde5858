/// Hosts as the engine takes them: what they are started with, those that do not start or do not fork, and how long
/// they live.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/testing/engine_fixture.h"

namespace tally {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST_F(EngineTest, AHostThatDoesNotReportADeadChildIsEnded) {
  add_cases(1);
  settings_.wall = false;
  settings_.timeout_s = 1;
  settings_.retries = 0;
  hosts_.on_host = [](const ProcessRequest&, std::size_t) { return FakeHostScript{.reaps = false}; };
  hosts_.on_case = [](const FakeRequest&) {
    return FakeCase{.trouble = FakeTrouble{.kind = FakeTrouble::Kind::hangs, .at = protocol::Stage::setup}};
  };
  run();
  EXPECT_EQ(witness_.outcomes[0].ending, Ending::timed_out);
  EXPECT_EQ(pool_.size(), 0U);
}

TEST_F(EngineTest, AHostHasItsToolchainsVariablesAndIsNobodyElses) {
  add_cases(2);
  settings_.wall = false;
  ResolvedToolchain other = toolchains_.at("python");
  other.spec.name = "other";
  other.spec.environment = {{"MY_MODE", "quick"}, {"MY_THREADS", "4"}};
  toolchains_["other"] = other;
  cases_[1].toolchain = "other";
  around_.environment = around_.timed_environment = EnvironmentVariables{{"MY_THREADS", "8"}, {"TZ", "UTC"}};
  std::vector<EnvironmentVariables> environments;
  hosts_.on_host = [&](const ProcessRequest& request, std::size_t) {
    environments.push_back(request.environment);
    return FakeHostScript{};
  };
  run();
  EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::ok, 2}}));
  EXPECT_THAT(environments,
              UnorderedElementsAre(EnvironmentVariables{{"MY_THREADS", "8"}, {"TZ", "UTC"}},
                                   EnvironmentVariables{{"MY_MODE", "quick"}, {"MY_THREADS", "8"}, {"TZ", "UTC"}}));
}

TEST_F(EngineTest, AHostThatDoesNotForkIsReplaced) {
  add_cases(3);
  settings_.wall = false;
  hosts_.on_host = [](const ProcessRequest&, std::size_t nth) {
    return FakeHostScript{.deaf_from = nth == 0 ? 2U : 0U};
  };
  run();
  EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::ok, 3}}));
  EXPECT_EQ(hosts_.started, 2U);
}

TEST_F(EngineTest, AHostThatCannotForkIsReplacedAndItsCaseSaysWhy) {
  add_cases(1);
  settings_.wall = false;
  settings_.retries = 0;
  hosts_.on_host = [](const ProcessRequest&, std::size_t) { return FakeHostScript{.cannot_fork_at = 1}; };
  run();
  EXPECT_EQ(witness_.outcomes[0].ending, Ending::host_lost);
  EXPECT_THAT(witness_.outcomes[0].failure->message, HasSubstr("the host cannot fork: "));
}

TEST_F(EngineTest, WhatNeverStartsFailsItsOwnCasesWithTheReason) {
  add_cases(2);
  hosts_.on_host = [](const ProcessRequest& request, std::size_t) {
    FakeHostScript script;
    if (request.argv.front() == "/usr/bin/valgrind") script.says_hello = false;
    return script;
  };
  settings_.host_timeout_s = 5;
  run();
  EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::failed, 2}}));
  EXPECT_THAT(witness_.outcomes[0].failure->message,
              AllOf(HasSubstr("Python host of python under Valgrind does not start"),
                    EndsWith("it was not ready within 5 s; --host-timeout SECONDS gives it more")));
  EXPECT_THAT(witness_.warnings, SizeIs(2)) << "it was started twice more";
}

class HostThatNeverStarts : public EngineTest {
 protected:
  /// Until its only case is given up.
  std::int64_t seconds() {
    add_cases(1);
    settings_.wall = false;
    settings_.retries = 0;
    hosts_.on_host = [](const ProcessRequest&, std::size_t) { return FakeHostScript{.says_hello = false}; };
    const Clock::time_point start = runner_.now();
    run();
    return std::chrono::duration_cast<std::chrono::seconds>(runner_.now() - start).count();
  }
};

TEST_F(HostThatNeverStarts, IsGivenUpAfterTwoMinutesWhenItHangs) { EXPECT_EQ(seconds(), 120); }

TEST_F(HostThatNeverStarts, MayTakeLongerWhileItWorks) {
  runner_.busy = [this](ProcessId) {
    return std::chrono::duration_cast<Milliseconds>(runner_.now().time_since_epoch()) / 2;
  };
  EXPECT_EQ(seconds(), 1320);
  EXPECT_THAT(witness_.outcomes[0].failure->message, HasSubstr("it was not ready within 1320 s"));
}

TEST_F(HostThatNeverStarts, MayTakeLongerWhileOthersHaveTheProcessors) {
  const Clock::time_point start = runner_.now();
  runner_.queued = [this, start](ProcessId) {
    const auto passed = std::chrono::duration_cast<Milliseconds>(runner_.now() - start);
    return std::min(passed, Milliseconds(1'000'000));  // from then on it hangs
  };
  EXPECT_EQ(seconds(), 1200);
}

TEST_F(EngineTest, AHostOfAnotherVersionIsNotStartedAgain) {
  add_cases(1);
  settings_.wall = false;
  hosts_.on_host = [](const ProcessRequest&, std::size_t) {
    return FakeHostScript{.version = static_cast<std::uint16_t>(protocol::kVersion + 1)};
  };
  run();
  EXPECT_EQ(hosts_.started, 1U);
  EXPECT_EQ(witness_.outcomes[0].ending, Ending::failed);
}

TEST_F(EngineTest, AHostWithThreadsServesOneCaseAndSaysSoOnce) {
  add_cases(4);
  settings_.wall = false;
  hosts_.on_host = [](const ProcessRequest&, std::size_t) { return FakeHostScript{.threads = 3}; };
  run();
  EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::ok, 4}}));
  EXPECT_EQ(hosts_.started, 4U);
  EXPECT_THAT(witness_.warnings, ElementsAre(HasSubstr("has 3 threads and cannot be forked safely")));
}

TEST_F(EngineTest, ThreadsOfAnImportAreNamedOnceForTimesAndCounts) {
  add_cases(2);
  hosts_.on_host = [](const ProcessRequest&, std::size_t) { return FakeHostScript{.threads = 3}; };
  run();
  EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::ok, 2}}));
  EXPECT_EQ(hosts_.started, 4U);
  EXPECT_THAT(witness_.warnings, ElementsAre(HasSubstr("the Python host of python has 3 threads")));
}

TEST_F(EngineTest, AfterTheFirstHostThatServesOneCaseThereIsAnEstimateForAll) {
  add_cases(4);
  use_cpus(1);
  settings_.wall = false;
  hosts_.on_host = [](const ProcessRequest&, std::size_t) { return FakeHostScript{.threads = 3}; };
  run();
  EXPECT_EQ(hosts_.started, 4U);
  EXPECT_THAT(witness_.warnings, ElementsAre(HasSubstr("has 3 threads"),
                                             testing::ContainsRegex("each of the 3 that are left starts a host "
                                                                    "of its own: .* s each, about .* s for all; "
                                                                    "Ctrl-C ends the run")));
}

TEST_F(EngineTest, WarmHostsServeTheNextPlanAndOthersDoNot) {
  add_cases(2);
  pool_.keep_warm(true);
  run();
  EXPECT_EQ(hosts_.started, 2U);
  EXPECT_EQ(pool_.size(), 2U);
  witness_ = {};
  run();
  EXPECT_EQ(hosts_.started, 2U);
  EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::ok, 2}}));
  // Another environment is another host, and so is an interpreter that has changed.
  witness_ = {};
  around_.environment.emplace_back("OMP_NUM_THREADS", "4");
  around_.timed_environment = around_.environment;
  run();
  EXPECT_EQ(hosts_.started, 4U);
  witness_ = {};
  (*toolchains_["python"].interpreter)->start = "2";
  run();
  EXPECT_EQ(hosts_.started, 6U);
  // A host gets the shell's folder late, and that is a part of its specification all the same.
  witness_ = {};
  around_.environment.front().second = "/bin";
  around_.timed_environment = around_.environment;
  run();
  EXPECT_EQ(hosts_.started, 8U);
}

TEST_F(EngineTest, AHostLearnsHowManyForksToExpect) {
  add_cases(3);
  settings_.wall = false;
  run();
  EXPECT_THAT(hosts_.requests, ElementsAre(Field(&FakeRequest::to_come, 2), Field(&FakeRequest::to_come, 1),
                                           Field(&FakeRequest::to_come, 0)));
}

TEST_F(EngineTest, WithoutBeingKeptHostsEndWithTheirLastCase) {
  add_cases(2);
  run();
  witness_ = {};
  run();
  EXPECT_EQ(hosts_.started, 4U);
  EXPECT_EQ(pool_.size(), 0U);
}

class EngineWithImages : public EngineTest {
 protected:
  EngineWithImages() {
    around_.counter = "/libexec/tally-counter";
    around_.images = images_;
    settings_.wall = false;
    add_cases(2);
    hosts_.on_host = [this](const ProcessRequest& request, std::size_t) {
      const bool restored = request.argv.front() == around_.libexec + "/tally-restore";
      starts_.push_back(restored ? "image" : "ordinary");
      // Such a host leaves its image as it says hello.
      for (const std::string& argument : request.argv) {
        constexpr std::string_view kOption = "--host-image=";
        if (leaves_images_ && argument.starts_with(kOption)) write(argument.substr(kOption.size()));
      }
      return restored ? restored_ : FakeHostScript{};
    };
  }

  static void write(const std::string& path) {
    const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT, 0600));
    EXPECT_TRUE(write_all(fd.get(), "image", path));
  }

  /// With another pool, as another command has it.
  void run_anew() {
    pool_.end_all();
    witness_.outcomes.clear();
    run();
    EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::ok, 2}}));
  }

  HostImages images_{folder_ + "/images"};
  FakeHostScript restored_;
  bool leaves_images_ = true;
  std::vector<std::string> starts_;
};

TEST_F(EngineWithImages, AHostIsMadeOfTheOneThatWasStartedBefore) {
  run_anew();
  run_anew();
  EXPECT_THAT(starts_, ElementsAre("ordinary", "image"));
  EXPECT_THAT(witness_.warnings, IsEmpty());
}

TEST_F(EngineWithImages, OneThatLeftNoneIsStartedAgain) {
  leaves_images_ = false;
  run_anew();
  run_anew();
  EXPECT_THAT(starts_, ElementsAre("ordinary", "ordinary"));
}

TEST_F(EngineWithImages, WhatRefusesToBeRestoredIsStartedAndItsImageGoes) {
  run_anew();
  restored_ = {
      .says_hello = false, .end = {.outcome = Exited{120}, .out = {}, .err = {}}, .dies_after = Milliseconds(1)};
  run_anew();
  EXPECT_THAT(starts_, ElementsAre("ordinary", "image", "ordinary"));
  EXPECT_THAT(witness_.warnings, IsEmpty()) << "nothing is wrong";
  EXPECT_THAT(witness_.processes.back(), HasSubstr("exited with code 120"));
}

TEST_F(EngineWithImages, OneThatDiesInServiceIsStartedTheNextTime) {
  run_anew();
  restored_ = {.dies_at = 1};
  run_anew();
  EXPECT_THAT(starts_, ElementsAre("ordinary", "image", "ordinary"));
  run_anew();
  EXPECT_THAT(starts_.back(), "ordinary") << "this process does not try that again";
}

TEST_F(EngineWithImages, WhatSaysNoHelloIsNotWaitedForLong) {
  run_anew();
  restored_ = {.says_hello = false};
  const Clock::time_point start = runner_.now();
  run_anew();
  EXPECT_THAT(starts_, ElementsAre("ordinary", "image", "ordinary"));
  EXPECT_LE(runner_.now() - start, std::chrono::seconds(11));
}

TEST_F(EngineWithImages, ASecondProcessIsStartedAndNotTheFirstOneAgain) {
  settings_.noise_floor = true;
  run_anew();
  EXPECT_THAT(starts_, Contains("ordinary").Times(static_cast<int>(starts_.size())))
      << "what is perturbed is another process";
  EXPECT_THAT(images_.list(), SizeIs(1)) << "and leaves none";
}

}  // namespace
}  // namespace tally
