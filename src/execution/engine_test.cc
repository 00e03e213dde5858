/// Plans executed on fake hosts: what becomes of cases when hosts are lost, hang, lie, or are interrupted.
#include "execution/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/files.h"
#include "execution/testing/fake_host.h"

namespace tally {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

/// Keeps what it is told.
class Witness final : public ExecutionObserver {
 public:
  void on_process(const std::string& what, const std::vector<std::string>&) override { processes.push_back(what); }
  void on_planned(Mode mode, std::size_t sessions) override { planned[mode] += sessions; }
  void on_session(std::size_t, Mode, const std::vector<int>&) override { ++begun; }
  void on_session_end(std::size_t, Mode) override { ++ended; }
  Status on_case(std::size_t index, CaseOutcome outcome) override {
    EXPECT_FALSE(outcomes.contains(index)) << "reported twice";
    outcomes[index] = std::move(outcome);
    return refuses_after && outcomes.size() > *refuses_after ? fail(ErrorKind::io, "disk full") : Status{};
  }
  void on_waiting(const std::string& why) override { warnings.push_back(why); }
  void on_warning(const std::string& text) override { warnings.push_back(text); }

  std::vector<std::string> processes;
  std::map<Mode, std::size_t> planned;
  std::size_t begun = 0;
  std::size_t ended = 0;
  std::map<std::size_t, CaseOutcome> outcomes;
  std::vector<std::string> warnings;
  std::optional<std::size_t> refuses_after;
};

class EngineTest : public ::testing::Test {
 protected:
  EngineTest() : folder_(::testing::TempDir() + "engine_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_ + "/libexec");
    // What a Python host is handed; nothing reads it here.
    for (const char* name : {"/libexec/_tally_host.abi3.so", "/libexec/tally_host.py"})
      EXPECT_TRUE(write_file(folder_ + name, ""));
    around_ = {.environment = {{"PATH", "/usr/bin"}},
               .working_folder = "/",
               .libexec = folder_ + "/libexec",
               .valgrind = "/usr/bin/valgrind"};
    ResolvedToolchain& python = toolchains_["python"];
    python.spec.name = "python";
    python.interpreter =
        ResolvedInterpreter{.path = "/usr/bin/python3", .version = "3", .identity = "1", .modules = {}};
    runner_.play = [this](const ProcessRequest& request) { return hosts_.play(request); };
    use_cpus(4);
  }
  ~EngineTest() override {
    pool_.end_all();
    std::filesystem::remove_all(folder_);
  }

  void use_cpus(int count) {
    CpuTopology topology;
    std::vector<CpuIndex> all;
    for (int i = 0; i < count; ++i) {
      all.push_back({i});
      topology.cores.emplace_back(std::vector<CpuIndex>{{i}});
    }
    topology.allowed = CpuSet(all);
    leases_.emplace(CpuLeases::open(topology, folder_ + "/cpus").value());
  }

  /// Signals to whole trees: those that stop something. (What has been counted is killed alone, to spare it its exit.)
  std::vector<int> stopping_signals() {
    std::vector<int> signals;
    for (const SentSignal& sent : runner_.signals) {
      if (sent.tree) signals.push_back(sent.signal);
    }
    return signals;
  }

  void add_cases(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Case one;
      one.id = "case " + std::to_string(i);
      one.language = Language::python;
      one.toolchain = "python";
      one.stmt.parts = {{"statement " + std::to_string(i), {}}};
      cases_.push_back(std::move(one));
    }
  }

  ExecutionResult run() {
    Builder builder(Cache(folder_ + "/cache"), {}, toolchains_, cases_);
    Engine engine(runner_, *leases_, pool_, builder,
                  {.cases = cases_,
                   .settings = settings_,
                   .toolchains = toolchains_,
                   .surroundings = around_,
                   .examiner = examiner_},
                  witness_);
    return engine.run({});
  }

  /// So many cases, each with an outcome, and how many ended so.
  std::map<Ending, std::size_t> endings() {
    std::map<Ending, std::size_t> count;
    for (const auto& [index, outcome] : witness_.outcomes) ++count[outcome.ending];
    return count;
  }

  std::string folder_;
  FakeHosts hosts_;
  FakeProcessRunner runner_;
  std::optional<CpuLeases> leases_;
  HostPool pool_{runner_, folder_ + "/scratch"};
  std::map<std::string, ResolvedToolchain> toolchains_;
  HostSurroundings around_;
  Settings settings_;
  std::vector<Case> cases_;
  std::string examiner_;
  Witness witness_;
};

TEST_F(EngineTest, CountsAndTimesEveryCase) {
  add_cases(3);
  hosts_.on_case = [](const FakeRequest&) { return FakeCase{.baseline = {1000}, .counts = {6000}}; };
  const ExecutionResult result = run();
  EXPECT_FALSE(result.interrupted);
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::ok, 3}}));
  for (const auto& [index, outcome] : witness_.outcomes) {
    ASSERT_TRUE(outcome.counts);
    EXPECT_THAT(outcome.counts->replicates, ElementsAre(ElementsAre(6000), ElementsAre(6000)));
    EXPECT_THAT(outcome.counts->baseline, ElementsAre(ElementsAre(1000)));
    ASSERT_TRUE(outcome.wall);
    EXPECT_GE(outcome.wall->by_child.size(), 5U);
    ASSERT_TRUE(outcome.allocations);
    EXPECT_EQ(outcome.allocations->count, 2 * outcome.allocations->iterations);
    EXPECT_FALSE(outcome.profile.empty());
  }
  EXPECT_THAT(witness_.processes, ElementsAre("Python host of python under Valgrind", "Python host of python"));
  EXPECT_EQ(witness_.begun, witness_.ended);
  EXPECT_EQ(pool_.size(), 0U);
  EXPECT_THAT(runner_.watched, IsEmpty());
}

TEST_F(EngineTest, ABenchmarksOwnRunTimesAreTaken) {
  add_cases(2);
  settings_.counts = false;
  cases_[1].settings.min_run_time = seconds(3);
  // A block of 1,000 executions of 1 ms each: a second.
  hosts_.on_case = [](const FakeRequest&) { return FakeCase{.seconds = {1e-3}, .blocks = 1}; };
  run();
  const auto seconds_of = [this](std::size_t index) {
    const WallSamples& wall = *witness_.outcomes[index].wall;
    return static_cast<double>(wall.by_child.size()) * static_cast<double>(wall.number_per_run) * 1e-3;
  };
  EXPECT_LT(seconds_of(0), 2.5) << "half a second at the most, by default, and two children at the least";
  EXPECT_GE(seconds_of(1), 3);
}

TEST_F(EngineTest, ReplicatesThatDifferAreFollowedByOthersInFurtherSessions) {
  add_cases(1);
  settings_.wall = false;
  hosts_.on_case = [](const FakeRequest& request) {
    return FakeCase{.counts = {6000 + 10 * static_cast<std::uint64_t>(request.attempt), 7000}, .forks = false};
  };
  run();
  ASSERT_THAT(witness_.outcomes, SizeIs(1));
  EXPECT_THAT(witness_.outcomes[0].counts->replicates, SizeIs(5)) << "max_replicates";
  EXPECT_EQ(witness_.planned[Mode::counts], 5U);
}

TEST_F(EngineTest, FiveHundredCasesHaveAResultWhenHostsDie) {
  add_cases(500);
  hosts_.on_host = [](const ProcessRequest&, std::size_t) { return FakeHostScript{.dies_at = 40}; };
  const ExecutionResult result = run();
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::ok, 500}}));
  EXPECT_GT(hosts_.started, 20U);
  std::size_t lost = 0;
  for (const auto& [index, outcome] : witness_.outcomes) {
    lost += static_cast<std::size_t>(std::ranges::count(outcome.attempts, Ending::host_lost, &CaseAttempt::ending));
    EXPECT_LE(outcome.attempts.size(), 6U);
  }
  EXPECT_GE(lost, hosts_.started - 2) << "each host that died cost somebody an attempt";
}

TEST_F(EngineTest, ACaseThatKillsEachOfItsHostsIsGivenUpAfterThreeAndCostsOthersNothingButAttempts) {
  add_cases(8);
  use_cpus(1);  // one case at a time
  settings_.wall = false;
  hosts_.on_host = [](const ProcessRequest&, std::size_t nth) {
    // Case 5 is the sixth request of the first host, and the first one of those after it.
    return FakeHostScript{.dies_at = nth == 0 ? 6U : nth <= 2 ? 1U : 0U};
  };
  run();
  EXPECT_EQ(endings()[Ending::ok] + endings()[Ending::host_lost], 8U);
  EXPECT_EQ(endings()[Ending::host_lost], 1U);
  for (const auto& [index, outcome] : witness_.outcomes) {
    if (outcome.ending != Ending::host_lost) continue;
    EXPECT_THAT(outcome.attempts, SizeIs(3));
    ASSERT_TRUE(outcome.failure);
    EXPECT_EQ(outcome.failure->stage, "host");
  }
}

TEST_F(EngineTest, WhatHangsIsStoppedStepByStepAndTriedAgain) {
  add_cases(2);
  settings_.wall = false;
  settings_.timeout_s = 10;
  hosts_.on_case = [](const FakeRequest& request) {
    FakeCase script;
    if (request.statement.contains("statement 0")) {
      script.ignores = {SIGINT, SIGTERM};
      script.trouble = FakeTrouble{.kind = FakeTrouble::Kind::hangs, .at = protocol::Stage::setup};
    }
    return script;
  };
  const Clock::time_point start = runner_.now();
  run();
  EXPECT_EQ(witness_.outcomes[1].ending, Ending::ok);
  const CaseOutcome& hung = witness_.outcomes[0];
  EXPECT_EQ(hung.ending, Ending::timed_out);
  EXPECT_THAT(hung.attempts, SizeIs(2));
  EXPECT_EQ(hung.failure->message, "timed out after 10 s");
  EXPECT_EQ(hung.failure->stage, "setup");
  EXPECT_THAT(stopping_signals(), ElementsAre(SIGINT, SIGTERM, SIGKILL, SIGINT, SIGTERM, SIGKILL));
  EXPECT_GE(runner_.now() - start, seconds(22));
  EXPECT_LE(runner_.now() - start, seconds(23));
}

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

TEST_F(EngineTest, ACaseIsTriedAgainAsOftenAsItsBenchmarkSays) {
  add_cases(2);
  settings_.wall = false;
  settings_.timeout_s = 1;
  cases_[1].settings.retries = 2;
  hosts_.on_case = [](const FakeRequest& request) {
    FakeCase played;
    if (request.attempt < 2)
      played.trouble = FakeTrouble{.kind = FakeTrouble::Kind::hangs, .at = protocol::Stage::setup};
    return played;
  };
  run();
  EXPECT_EQ(witness_.outcomes[0].ending, Ending::timed_out);
  EXPECT_THAT(witness_.outcomes[0].attempts, SizeIs(2));
  EXPECT_EQ(witness_.outcomes[1].ending, Ending::ok);
  EXPECT_THAT(witness_.outcomes[1].attempts, SizeIs(3));
}

TEST_F(EngineTest, AHostHasItsToolchainsVariablesAndIsNobodyElses) {
  add_cases(2);
  settings_.wall = false;
  ResolvedToolchain other = toolchains_.at("python");
  other.spec.name = "other";
  other.spec.environment = {{"MY_MODE", "quick"}, {"MY_THREADS", "4"}};
  toolchains_["other"] = other;
  cases_[1].toolchain = "other";
  around_.environment = {{"MY_THREADS", "8"}, {"TZ", "UTC"}};
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
                    HasSubstr("it was not ready within 5 s")));
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

/// On a busy machine, or with a library whose start is long, two minutes are soon over. Here it has half of a CPU, up
/// to the ten minutes of processor time that none needs.
TEST_F(HostThatNeverStarts, MayTakeLongerWhileItWorks) {
  runner_.busy = [this](ProcessId) {
    return std::chrono::duration_cast<Milliseconds>(runner_.now().time_since_epoch()) / 2;
  };
  EXPECT_EQ(seconds(), 1320);
  EXPECT_THAT(witness_.outcomes[0].failure->message, HasSubstr("it was not ready within 1320 s"));
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

TEST_F(EngineTest, TooMuchMemoryIsKilledAtOnceAndNotTriedAgain) {
  add_cases(1);
  settings_.wall = false;
  settings_.memory_bytes = 1 << 20;
  hosts_.on_case = [](const FakeRequest&) {
    return FakeCase{.growth_bytes = 1 << 21,
                    .trouble = FakeTrouble{.kind = FakeTrouble::Kind::hangs, .at = protocol::Stage::setup}};
  };
  run();
  EXPECT_EQ(witness_.outcomes[0].ending, Ending::failed);
  EXPECT_THAT(witness_.outcomes[0].failure->message, HasSubstr("over memory: it may use 1 MiB"));
  EXPECT_THAT(stopping_signals(), ElementsAre(SIGKILL));
}

TEST_F(EngineTest, AnInterruptionLetsWhatRunsFinishAndIsNoResultForTheRest) {
  add_cases(20);
  settings_.wall = false;
  hosts_.on_case = [](const FakeRequest&) { return FakeCase{.setup_takes = Milliseconds(400)}; };
  runner_.inject(Interrupted{1}, Milliseconds(1000));
  const ExecutionResult result = run();
  EXPECT_TRUE(result.interrupted);
  EXPECT_GE(witness_.outcomes.size(), 4U);
  EXPECT_LT(witness_.outcomes.size(), 20U);
  for (const auto& [index, outcome] : witness_.outcomes) EXPECT_EQ(outcome.ending, Ending::ok);
  EXPECT_EQ(pool_.size(), 0U);
}

TEST_F(EngineTest, AnInterruptedCaseThatLacksItsTimesIsNoResult) {
  add_cases(1);
  use_cpus(1);
  hosts_.on_case = [](const FakeRequest&) { return FakeCase{.setup_takes = Milliseconds(1000)}; };
  runner_.inject(Interrupted{1}, Milliseconds(500));
  EXPECT_TRUE(run().interrupted);
  EXPECT_THAT(witness_.outcomes, IsEmpty());
}

TEST_F(EngineTest, WhatCannotBeKeptStopsTheRun) {
  add_cases(50);
  settings_.wall = false;
  witness_.refuses_after = 3;
  const ExecutionResult result = run();
  ASSERT_TRUE(result.stopped);
  EXPECT_EQ(result.stopped->message, "disk full");
  EXPECT_LT(witness_.outcomes.size(), 50U);
  EXPECT_EQ(pool_.size(), 0U);
}

TEST_F(EngineTest, ANoiseFloorCountsOnceUnderEachPerturbationAndSharesTheHostWhereItMay) {
  add_cases(2);
  settings_.wall = false;
  settings_.noise_floor = true;
  run();
  ASSERT_THAT(witness_.outcomes, SizeIs(2));
  EXPECT_THAT(witness_.outcomes[0].perturbed, SizeIs(8));
  EXPECT_EQ(hosts_.started, 3U) << "one more for the hash seed, one for the environment";
}

TEST_F(EngineTest, AnExaminationReportsWhatStatementsLeave) {
  add_cases(1);
  examiner_ = "report()";
  hosts_.on_case = [](const FakeRequest& request) {
    EXPECT_TRUE(request.examined);
    return FakeCase{.results = {"x = 1"}};
  };
  run();
  ASSERT_TRUE(witness_.outcomes[0].result);
  EXPECT_EQ(witness_.outcomes[0].result->text, "x = 1");
  EXPECT_FALSE(witness_.outcomes[0].counts);
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
  run();
  EXPECT_EQ(hosts_.started, 4U);
  witness_ = {};
  (*toolchains_["python"].interpreter)->identity = "2";
  run();
  EXPECT_EQ(hosts_.started, 6U);
  // Where the user's shell stands is told a host late, and is a part of it all the same.
  witness_ = {};
  around_.environment.front().second = "/bin";
  run();
  EXPECT_EQ(hosts_.started, 8U);
}

TEST_F(EngineTest, WithoutBeingKeptHostsEndWithTheirLastCase) {
  add_cases(2);
  run();
  witness_ = {};
  run();
  EXPECT_EQ(hosts_.started, 4U);
  EXPECT_EQ(pool_.size(), 0U);
}

}  // namespace
}  // namespace tally
