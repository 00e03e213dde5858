/// Plans measured from end to end on fake processes: interpreter, hosts and cases are played, everything else is real.
#include "run/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/contains.h"
#include "base/files.h"
#include "build/identity.h"
#include "engine/testing/fake_host.h"
#include "record/json.h"
#include "run/confirm.h"
#include "run/rounds.h"
#include "run/same_result.h"

namespace tally {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Received final : public RunObserver {
 public:
  void on_begin(std::size_t cases, std::size_t finished) override {
    ++runs;
    total = cases;
    resumed = finished;
  }
  void on_process(const std::string& what, const std::vector<std::string>&) override { processes.push_back(what); }
  void on_case(const CaseRecord& record) override { ids.push_back(record.id); }
  void on_message(const std::string& text) override { messages.push_back(text); }

  int runs = 0;
  std::size_t total = 0;
  std::size_t resumed = 0;
  std::vector<std::string> processes;
  std::vector<std::string> ids;
  std::vector<std::string> messages;
};

class RunTest : public ::testing::Test {
 protected:
  RunTest() : folder_(::testing::TempDir() + "run_" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder_);
    for (const char* name :
         {"/libexec/_tally_host.abi3.so", "/libexec/tally_host.py", "/libexec/tally_start.py", "/libexec/examiner.py"})
      EXPECT_TRUE(write_file(folder_ + name, "report()"));
    for (const char* name : {"/bin/python3", "/bin/valgrind"}) {
      EXPECT_TRUE(write_file(folder_ + name, "#!/bin/sh\n"));
      std::filesystem::permissions(folder_ + name, std::filesystem::perms::owner_all);
    }
    runner_.play = [this](const ProcessRequest& request) {
      return FakeHosts::is_host(request) ? hosts_.play(request) : tool(request);
    };
    hosts_.on_case = [this](const FakeRequest& request) {
      return FakeCase{.counts = {count_of_[request.statement]}, .results = {request.statement}};
    };
    open();
  }
  ~RunTest() override {
    workspace_.reset();
    std::filesystem::remove_all(folder_);
  }

  void open() {
    Surroundings around{.libexec = folder_ + "/libexec", .tool = {.version = "1", .commit = "c"}};
    workspace_ = Workspace::open(runner_, std::move(around), "").value();
  }

  /// What a program that is asked about itself answers.
  ScriptedProcess tool(const ProcessRequest& request) const {
    ScriptedProcess process;
    process.result.outcome = Exited{0};
    const std::string answer = R"({"executable": ")" + folder_ + R"(/bin/python3", "version": ")" + python_version_ +
                               R"(", "modules": [], "missing": [], "old": false})";
    if (request.argv.size() > 1 && request.argv[1] == "-c") {
      BoundedOutput out(1 << 20);
      out.append(answer);
      process.result.out = out.take();
    }
    return process;
  }

  Plan plan_of(const std::vector<std::string>& statements) {
    suite_ = Suite();
    for (const std::string& statement : statements) {
      count_of_.try_emplace(statement, 6000);
      EXPECT_TRUE(suite_.add(Timer{.label = {statement}, .language = Language::python, .stmt = {statement, {}}}));
    }
    return make_plan(suite_, {}).value();
  }

  Caller caller() const {
    return {.environment = {{"PATH", folder_ + "/bin"}, {"XDG_CACHE_HOME", folder_ + "/cache"}},
            .working_folder = folder_,
            .command = {"tally", "run"}};
  }

  AgainRequest again_request(const Record& as) const {
    return {
        .suite = suite_, .suite_path = "suite.toml", .ids = {"b [python]"}, .as = as, .caller = caller(), .tools = {}};
  }

  RunRequest request(const Plan& plan) const {
    RunRequest request{.plan = &plan, .caller = caller(), .settings = settings_, .tools = {}, .suite = "suite.toml"};
    return request;
  }

  std::string folder_;
  FakeHosts hosts_;
  FakeProcessRunner runner_;
  std::string python_version_ = "3.11.2";
  std::map<std::string, std::uint64_t> count_of_;
  Suite suite_;
  Settings settings_{.wall = false};
  std::unique_ptr<Workspace> workspace_;
  Received received_;
};

TEST_F(RunTest, APlanBecomesARecord) {
  const Plan plan = plan_of({"a", "b"});
  count_of_["b"] = 11'000;
  const auto result = measure(*workspace_, request(plan), received_);
  ASSERT_TRUE(result) << describe(result.error());
  const Record& record = result->record;
  ASSERT_THAT(record.cases, SizeIs(2));
  EXPECT_EQ(record.cases[0].id, "a [python]");
  EXPECT_EQ(record.cases[0].status, CaseStatus::ok);
  EXPECT_EQ(record.cases[0].counts->per_iteration, 50);
  EXPECT_EQ(record.cases[1].counts->per_iteration, 100);
  EXPECT_EQ(record.environments.at("python [python]").facts.at("python"), "3.11.2");
  EXPECT_THAT(record.settings.valgrind_flags, Contains("--tool=callgrind"));
  EXPECT_EQ(record.tool.commit, "c");
  EXPECT_THAT(record.machines, SizeIs(1));
  EXPECT_THAT(received_.ids, SizeIs(2));
  EXPECT_TRUE(record_from_json(to_json(record), "r"));
}

TEST_F(RunTest, WhatHostsHadMappedIsInTheRecordAlsoWhenTheyAreWarm) {
  const Plan plan = plan_of({"a"});
  ASSERT_TRUE(write_file(folder_ + "/libx.so.1", "one"));
  runner_.mapped = {folder_ + "/libx.so.1", folder_ + "/libexec/_tally_host.abi3.so", "/usr/libexec/valgrind/tool"};
  workspace_->keep_hosts_warm();
  const auto first = measure(*workspace_, request(plan), received_);
  const auto second = measure(*workspace_, request(plan), received_);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(hosts_.started, 1U);
  const Environment& environment = first->record.environments.at("python [python]");
  EXPECT_EQ(environment.facts.at("mapped.libx.so.1"), file_digest(folder_ + "/libx.so.1").value());
  EXPECT_EQ(std::ranges::count_if(environment.facts, [](auto& fact) { return fact.first.starts_with("mapped."); }), 1);
  EXPECT_EQ(second->record.environments, first->record.environments);
  EXPECT_EQ(second->record.fingerprint, first->record.fingerprint);

  workspace_->hosts().end_all();
  ASSERT_TRUE(write_file(folder_ + "/libx.so.1", "two!"));
  const auto third = measure(*workspace_, request(plan), received_);
  ASSERT_TRUE(third);
  EXPECT_NE(third->record.fingerprint.environment, first->record.fingerprint.environment);
  EXPECT_EQ(third->record.fingerprint.subject, first->record.fingerprint.subject);
}

TEST_F(RunTest, TallysOwnFilesAreKnownBehindALinkToo) {
  const Plan plan = plan_of({"a"});
  const std::string snippet = folder_ + "/disk/tallymark/1/warm_up.so";
  ASSERT_TRUE(write_file(snippet, "snippet"));
  std::filesystem::create_directory_symlink(folder_ + "/disk", folder_ + "/cache");
  runner_.mapped = {snippet};  // as the kernel reports it
  const auto result = measure(*workspace_, request(plan), received_);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->record.environments.at("python [python]").facts.contains("mapped.warm_up.so"));
}

TEST_F(RunTest, AResumedRunRefusesHostsThatHaveMappedOtherFiles) {
  const Plan plan = plan_of({"a", "b"});
  RunRequest interrupted = request(plan);
  interrupted.journal = JournalRequest{.path = folder_ + "/journal"};
  ASSERT_TRUE(write_file(folder_ + "/libx.so.1", "one"));
  runner_.mapped = {folder_ + "/libx.so.1"};
  hosts_.on_case = [](const FakeRequest& asked) {
    return FakeCase{.setup_takes = asked.statement == "b" ? std::chrono::hours(1) : Milliseconds(0)};
  };
  runner_.inject(Interrupted{1}, Milliseconds(5000));
  ASSERT_TRUE(measure(*workspace_, interrupted, received_));
  interrupted.journal->resume = true;
  hosts_.on_case = nullptr;
  ASSERT_TRUE(write_file(folder_ + "/libx.so.1", "two!"));
  open();
  const auto refused = measure(*workspace_, interrupted, received_);
  ASSERT_TRUE(refused);
  ASSERT_TRUE(refused->stopped);
  EXPECT_THAT(describe(*refused->stopped), HasSubstr("mapped.libx.so.1 is another file"));
}

TEST_F(RunTest, CountsAreTakenOverAndOneIsTakenAgain) {
  const std::vector<std::string> statements = {"a", "b", "c", "d", "e"};
  const Plan plan = plan_of(statements);
  RunRequest first = request(plan);
  first.notes_inputs = true;
  ASSERT_TRUE(write_file(folder_ + "/libx.so.1", "one"));
  runner_.mapped = {folder_ + "/libx.so.1"};
  const auto earlier = measure(*workspace_, first, received_);
  ASSERT_TRUE(earlier);
  RunRequest next = request(plan);
  next.reuse = std::span(&earlier->record, 1);
  const auto again = measure(*workspace_, next, received_);
  ASSERT_TRUE(again);
  EXPECT_THAT(again->refuted, IsEmpty());
  const auto reused = [](const RunResult& result) {
    return std::ranges::count_if(result.record.cases, [](const CaseRecord& one) { return one.reused.has_value(); });
  };
  EXPECT_EQ(reused(*again), 4);
  for (std::size_t i = 0; i < statements.size(); ++i) {
    EXPECT_EQ(again->record.cases[i].counts, earlier->record.cases[i].counts);
    EXPECT_EQ(again->record.cases[i].status, CaseStatus::ok);
    EXPECT_EQ(again->record.cases[i].inputs, earlier->record.cases[i].inputs);
  }
  EXPECT_THAT(received_.messages, Contains("4 counts are reused; 1 counted again as proof, and equal"));

  settings_.iterations = 50;
  RunRequest other = request(plan);
  other.reuse = std::span(&earlier->record, 1);
  const auto counted = measure(*workspace_, other, received_);
  ASSERT_TRUE(counted);
  EXPECT_EQ(reused(*counted), 0);
  EXPECT_THAT(received_.messages, Contains("no count could be reused; of 5 its settings is another"));
  settings_.iterations = 100;

  ASSERT_TRUE(write_file(folder_ + "/libx.so.1", "two!"));
  workspace_->hosts().end_all();
  const auto elsewhere = measure(*workspace_, next, received_);
  ASSERT_TRUE(elsewhere);
  EXPECT_EQ(reused(*elsewhere), 0);
}

TEST_F(RunTest, ACountThatIsAnotherHasAllOfThemCounted) {
  const Plan plan = plan_of({"a", "b", "c"});
  RunRequest first = request(plan);
  first.notes_inputs = true;
  const auto earlier = measure(*workspace_, first, received_);
  ASSERT_TRUE(earlier);
  for (const char* statement : {"a", "b", "c"}) count_of_[statement] = 7000;
  RunRequest next = request(plan);
  next.reuse = std::span(&earlier->record, 1);
  const auto again = measure(*workspace_, next, received_);
  ASSERT_TRUE(again);
  ASSERT_THAT(again->refuted, SizeIs(1));
  for (const CaseRecord& one : again->record.cases) {
    EXPECT_EQ(one.counts->replicates.front(), 7000U);
    EXPECT_FALSE(one.reused);
    EXPECT_EQ(contains(one.flags, "reuse_refuted"), one.id == again->refuted.front());
  }
}

TEST_F(RunTest, WhatFailsWhereItIsToProveHasAllOfThemCounted) {
  const Plan plan = plan_of({"a", "b", "c"});
  RunRequest first = request(plan);
  first.notes_inputs = true;
  const auto earlier = measure(*workspace_, first, received_);
  ASSERT_TRUE(earlier);
  RunRequest next = request(plan);
  next.reuse = std::span(&earlier->record, 1);
  hosts_.on_host = [](const ProcessRequest&, std::size_t) { return FakeHostScript{.dies_at = 1}; };
  const auto again = measure(*workspace_, next, received_);
  ASSERT_TRUE(again);
  for (const CaseRecord& one : again->record.cases) EXPECT_NE(one.status, CaseStatus::ok) << one.id;
}

TEST_F(RunTest, OneProfileThatCannotBeReadCostsItsCaseAWarning) {
  const Plan plan = plan_of({"a"});
  RunRequest with_profiles = request(plan);
  // Its folder is a file.
  ASSERT_TRUE(write_file(folder_ + "/r.json.profiles", ""));
  with_profiles.profiles = ProfileRequest{.folder = folder_ + "/r.json.profiles", .name = "r.json.profiles"};
  const auto result = measure(*workspace_, with_profiles, received_);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->stopped);
  EXPECT_EQ(result->record.cases[0].status, CaseStatus::ok);
  EXPECT_THAT(result->record.cases[0].warnings, Contains(HasSubstr("it has no profile: ")));
  EXPECT_FALSE(result->record.cases[0].profile);
}

TEST_F(RunTest, AMistakeIsReportedBeforeAnythingIsMeasured) {
  const Plan plan = plan_of({"a"});
  RunRequest wrong = request(plan);
  wrong.tools.python = "no-such-python";
  const auto result = measure(*workspace_, wrong, received_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::input);
  EXPECT_EQ(hosts_.started, 0U);
  EXPECT_EQ(received_.runs, 0);
}

TEST_F(RunTest, AnInterruptionBeforeTheFirstCaseLeavesNoJournal) {
  const Plan plan = plan_of({"a"});
  RunRequest kept = request(plan);
  kept.journal = JournalRequest{.path = folder_ + "/journal"};
  const auto play = runner_.play;
  runner_.play = [&](const ProcessRequest& asked) {
    runner_.inject(Interrupted{1});
    return play(asked);
  };
  const auto result = measure(*workspace_, kept, received_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::interrupted);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/journal"));
  EXPECT_EQ(hosts_.started, 0U);
}

TEST_F(RunTest, AnErrorOfInterruptionEndsTheTurns) {
  const Plan plan = plan_of({"a"});
  const std::vector<RunRequest> sides = {request(plan), request(plan)};
  const auto turns = measure_in_turns(
      [](const RunRequest&) -> Result<RunResult> { return fail(ErrorKind::interrupted, "cancelled before it began"); },
      sides, 2, [](int, std::size_t) {});
  ASSERT_TRUE(turns);
  EXPECT_TRUE(turns->interrupted);
}

TEST_F(RunTest, SamplesMayLieInTheJournalAloneAndStandInTheRecordAllTheSame) {
  settings_.wall = true;
  const Plan plan = plan_of({"a"});
  RunRequest spilling = request(plan);
  spilling.journal = JournalRequest{.path = folder_ + "/journal"};
  spilling.keeps_samples = false;
  const auto result = measure(*workspace_, spilling, received_);
  ASSERT_TRUE(result) << describe(result.error());
  const Wall& wall = *result->record.cases[0].wall;
  EXPECT_TRUE(wall.stored);
  EXPECT_THAT(wall.replicates_s, IsEmpty());
  EXPECT_GT(wall.median_s, 0);
  std::string text;
  ASSERT_TRUE(write_json(*result, [&](std::string_view piece) {
    text += piece;
    return Status{};
  }));
  const auto whole = record_from_json(text, "r");
  ASSERT_TRUE(whole) << describe(whole.error());
  EXPECT_FALSE(whole->cases[0].wall->stored);
  EXPECT_GE(whole->cases[0].wall->samples_per_child.size(), 5U);
}

TEST_F(RunTest, AResumedRunMeasuresWhatIsMissing) {
  const Plan plan = plan_of({"a", "b", "c"});
  RunRequest interrupted = request(plan);
  interrupted.journal = JournalRequest{.path = folder_ + "/journal"};
  hosts_.on_case = [](const FakeRequest& asked) {
    return FakeCase{.setup_takes = asked.statement == "c" ? std::chrono::hours(1) : Milliseconds(0)};
  };
  runner_.inject(Interrupted{1}, Milliseconds(5000));
  {
    const auto first = measure(*workspace_, interrupted, received_);
    ASSERT_TRUE(first) << describe(first.error());
    EXPECT_TRUE(first->interrupted);
    EXPECT_EQ(first->record.cases[0].status, CaseStatus::ok);
    EXPECT_EQ(first->record.cases[2].status, CaseStatus::skipped);
    interrupted.journal->resume = true;
    EXPECT_FALSE(measure(*workspace_, interrupted, received_)) << "the first one still writes its journal";
  }
  hosts_.on_case = nullptr;
  hosts_.requests.clear();
  const auto second = measure(*workspace_, interrupted, received_);
  ASSERT_TRUE(second) << describe(second.error());
  EXPECT_EQ(received_.resumed, 2U);
  for (const CaseRecord& one : second->record.cases) EXPECT_EQ(one.status, CaseStatus::ok) << one.id;
  for (const FakeRequest& asked : hosts_.requests) EXPECT_EQ(asked.statement, "c");
}

TEST_F(RunTest, WhatDiffersFromTheInterruptedRunIsNamed) {
  const Plan plan = plan_of({"a"});
  RunRequest journaled = request(plan);
  journaled.journal = JournalRequest{.path = folder_ + "/journal"};
  ASSERT_TRUE(measure(*workspace_, journaled, received_));
  journaled.journal->resume = true;
  const auto refusal = [&](const RunRequest& other) {
    const auto result = measure(*workspace_, other, received_);
    EXPECT_FALSE(result);
    return result ? "" : describe(result.error());
  };
  RunRequest other = journaled;
  other.settings.iterations = 7;
  EXPECT_THAT(refusal(other), HasSubstr("--iterations was default and is 7"));
  other = journaled;
  other.settings.kept_environment = {"HOME"};
  EXPECT_THAT(refusal(other), HasSubstr("--keep-env was none and is HOME"));
  Plan own = plan;
  own.cases[0].settings.iterations = 3;
  other = journaled;
  other.plan = &own;
  EXPECT_THAT(refusal(other), HasSubstr("settings of single benchmarks was"));
  python_version_ = "3.12.0";
  EXPECT_THAT(refusal(journaled), HasSubstr("python of python [python] was 3.11.2 and is 3.12.0"));
  python_version_ = "3.11.2";
  EXPECT_TRUE(measure(*workspace_, journaled, received_));
}

TEST_F(RunTest, RoundsStartEachHostOnceASide) {
  const Plan plan = plan_of({"a", "b"});
  std::vector<RunRequest> sides = {request(plan), request(plan)};
  ASSERT_TRUE(write_file(folder_ + "/bin/other", "#!/bin/sh\n"));
  std::filesystem::permissions(folder_ + "/bin/other", std::filesystem::perms::owner_all);
  settings_.kept_environment = {"XDG_CACHE_HOME"};
  sides[1].settings = settings_;
  std::vector<std::pair<int, std::size_t>> rounds;
  workspace_->keep_hosts_warm();
  const auto one = [this](const RunRequest& side) { return measure(*workspace_, side, received_); };
  const auto result =
      measure_in_turns(one, sides, 5, [&](int round, std::size_t side) { rounds.emplace_back(round, side); });
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_THAT(rounds, SizeIs(10));
  EXPECT_EQ(hosts_.started, 2U) << "one a side, for ten passes";
  ASSERT_THAT(result->records, SizeIs(2));
  EXPECT_EQ(result->records[0].settings.repeat, 5);
  // The hosts that are there serve what comes after.
  const auto examined = examine(*workspace_, sides[0], received_);
  ASSERT_TRUE(examined) << describe(examined.error());
  EXPECT_EQ(hosts_.started, 3U) << "statements are executed natively, counts were not";
  EXPECT_EQ(examined->results[0]->text, "a");
  EXPECT_EQ(judge_results(*examined, *examined)[1].sameness, Sameness::same);
}

TEST_F(RunTest, SuspectsAreMeasuredAgainAsTheirRecordSays) {
  settings_.iterations = 50;
  const Plan plan = plan_of({"a", "b"});
  auto first = measure(*workspace_, request(plan), received_);
  ASSERT_TRUE(first);
  Record next = std::move(first->record);
  count_of_["b"] = 7000;
  const auto again = measure_again(*workspace_, again_request(next), received_);
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(again->settings.iterations, 50U);
  replace_cases(next, *again);
  EXPECT_EQ(next.cases[0].counts->replicates.front(), 6000U);
  EXPECT_EQ(next.cases[1].counts->replicates.front(), 7000U);
  EXPECT_THAT(next.cases[1].warnings, Contains(HasSubstr("a second time")));
  const auto measured = hosts_.started;
  Record other = next;
  other.cases[1].definition.digest = "that of a program with another argument";
  const auto redefined = measure_again(*workspace_, again_request(other), received_);
  ASSERT_FALSE(redefined);
  EXPECT_EQ(redefined.error().where, "b [python]");
  EXPECT_THAT(redefined.error().message, HasSubstr("its definition is not the one that the record has"));
  EXPECT_EQ(hosts_.started, measured) << "nothing is measured";
  python_version_ = "3.12.0";
  const auto elsewhere = measure_again(*workspace_, again_request(next), received_);
  ASSERT_FALSE(elsewhere);
  EXPECT_THAT(elsewhere.error().message, HasSubstr("the environment of python [python] is not the one"));
}

}  // namespace
}  // namespace tally
