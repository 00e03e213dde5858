/// Outcomes as they come, made into records: what a recorder adds to assemble(), and what it leaves beside the record.
#include "run/case_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/digest.h"
#include "base/files.h"
#include "profile/store.h"

namespace tally {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kProfile =
    "events: Ir\nob=/lib/a.so\nfn=f\n1 900\ncfn=g\ncalls=100 0\n1 200\nfn=g\n1 200\ntotals: 1100\n";

struct Reported final : RunObserver {
  void on_case(const CaseRecord& record) override { ids.push_back(record.id); }
  std::vector<std::string> ids;
};

class Recorder : public ::testing::Test {
 protected:
  Recorder() : folder_(::testing::TempDir() + "recorder_" + std::to_string(getpid())) {
    fs::remove_all(folder_);
    Case one;
    one.id = "a [cpp]";
    one.label = {"a"};
    one.language = Language::cpp;
    one.stmt.parts = {{"f();", {}}};
    one.toolchain = "cpp";
    plan_.cases = {one};
    plan_.toolchains = {{.name = "cpp"}};
    request_.plan = &plan_;
    request_.suite = "suite.toml";
  }
  ~Recorder() override { fs::remove_all(folder_); }

  static CaseOutcome counted() {
    CaseOutcome outcome;
    outcome.ending = Ending::ok;
    outcome.counts = CountSamples{10, {"Ir"}, {{1100}, {1100}}, {{100}, {100}}};
    outcome.profiles.statement = kProfile;
    return outcome;
  }
  /// The record of an outcome.
  const CaseRecord& record(CaseOutcome outcome) {
    cases_ = {{describe_case(plan_.cases.front())}};
    CaseRecorder recorder(request_, cases_, observer_, {});
    EXPECT_TRUE(recorder.on_case(0, std::move(outcome)));
    result_ = recorder.results().front();
    return cases_.front();
  }
  void keep_profiles() { request_.profiles = {.folder = folder_, .name = "r.json.profiles"}; }
  [[nodiscard]] fs::path beside(std::string_view suffix) const {
    return fs::path(folder_) / (digest("a [cpp]") + std::string(suffix));
  }
  [[nodiscard]] StoredProfile kept() const {
    const auto text = read_file(beside(".json"));
    EXPECT_TRUE(text);
    const auto stored = profile_from_json(text.value_or(""), "kept");
    EXPECT_TRUE(stored);
    return stored.value_or(StoredProfile{});
  }

  std::string folder_;
  Plan plan_;
  RunRequest request_;
  Reported observer_;
  std::vector<CaseRecord> cases_;
  std::optional<StatementResult> result_;
};

TEST_F(Recorder, ReportsACaseAndKeepsWhatItsStatementLeft) {
  CaseOutcome outcome = counted();
  outcome.result = StatementResult{.text = "3"};
  EXPECT_EQ(record(std::move(outcome)).counts->per_iteration, 100);
  EXPECT_THAT(observer_.ids, ElementsAre("a [cpp]"));
  EXPECT_EQ(result_, StatementResult{.text = "3"});
}

TEST_F(Recorder, AProfileIsKeptWhereOneWasRequested) {
  EXPECT_FALSE(record(counted()).profile);
  EXPECT_FALSE(fs::exists(folder_));
  keep_profiles();
  EXPECT_EQ(record(counted()).profile, "r.json.profiles/" + digest("a [cpp]") + ".json");
  EXPECT_EQ(kept().iterations, 10U);
  EXPECT_EQ(kept().profile.calls.front().count, 100U);
}

TEST_F(Recorder, CallsOfARegionThatPausedAreNotKnown) {
  keep_profiles();
  CaseOutcome outcome = counted();
  outcome.counted.paused = true;
  record(std::move(outcome));
  EXPECT_EQ(kept().profile.calls.front().count, 0U);
  EXPECT_THAT(kept().profile.notes, ElementsAre(HasSubstr("counting was paused")));
}

TEST_F(Recorder, AProfileThatCannotBeReadIsAWarningAndTheCountStands) {
  keep_profiles();
  CaseOutcome outcome = counted();
  outcome.profiles.statement = "no profile";
  const CaseRecord& found = record(std::move(outcome));
  EXPECT_EQ(found.status, CaseStatus::ok);
  EXPECT_TRUE(found.counts);
  EXPECT_FALSE(found.profile);
  EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("it has no profile")));
}

TEST_F(Recorder, AProfileThatCannotBeKeptIsAWarningToo) {
  keep_profiles();
  ASSERT_TRUE(write_file(folder_, "a file where the folder would be"));
  const CaseRecord& found = record(counted());
  EXPECT_TRUE(found.counts);
  EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("it has no profile")));
}

TEST_F(Recorder, WhatAnEarlierRunHasKeptOfTheCaseIsGone) {
  keep_profiles();
  ASSERT_TRUE(write_file(beside(".python.json"), "earlier"));
  record(counted());
  EXPECT_FALSE(fs::exists(beside(".python.json")));
}

TEST_F(Recorder, CallsOfWhatARegionShouldNotDoAreWarnings) {
  CaseOutcome outcome = counted();
  outcome.profiles.statement = "events: Ir\nob=/lib/libc.so.6\nfn=clock_gettime\n1 1100\ntotals: 1100\n";
  EXPECT_THAT(record(outcome).warnings, ElementsAre("the region calls clock_gettime (clock)"));
  outcome.device = "cuda";
  EXPECT_THAT(record(outcome).warnings, IsEmpty()) << "a driver does such things";
}

TEST_F(Recorder, AFailureSaysHowItIsShownAgain) {
  CaseOutcome outcome;
  outcome.ending = Ending::failed;
  outcome.failure = CaseFailure{"setup", "no", "", ""};
  EXPECT_EQ(record(outcome).failure->reproduce, "tally run suite.toml --filter 'a [cpp]' --isolation process --keep");
  request_.suite.clear();
  EXPECT_EQ(record(outcome).failure->reproduce, "") << "an ad hoc statement has none";
}

}  // namespace
}  // namespace tally
