/// Cases on a device, on fake hosts with made-up cards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/testing/engine_fixture.h"

namespace tally {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Its hosts are others then, and what it came to by then is forgotten. One that says where it runs stays there.
TEST_F(EngineTest, ACaseThatAsksForADriverIsMeasuredWhereThereIsOne) {
  add_cases(3);
  cases_[2].device = "cpu";
  toolchains_["python"].spec.device.drivers = {"libcuda.so.1"};
  hosts_.on_case = [&](const FakeRequest& request) {
    const bool hidden = request.hides_drivers;
    const bool asks = request.statement != "statement 0";
    return FakeCase{.counts = {hidden ? 1U : 6000U},
                    .asked_driver = asks && hidden ? "libcuda.so.1" : "",
                    .device = asks && !hidden ? "cuda" : ""};
  };
  run();
  EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::ok, 3}}));
  const auto counts_of = [&](std::size_t index) { return witness_.outcomes.at(index).counts->replicates.at(0).at(0); };
  EXPECT_EQ(counts_of(0), 1U);
  EXPECT_EQ(counts_of(1), 6000U);
  EXPECT_EQ(counts_of(2), 1U);
  EXPECT_EQ(witness_.outcomes.at(1).device, "cuda");
  EXPECT_THAT(witness_.outcomes.at(1).warnings,
              ElementsAre("it asks for a device (libcuda.so.1), and is measured in a process that finds its driver"));
  EXPECT_THAT(witness_.outcomes.at(2).warnings, IsEmpty());
}

/// Each reading is a process, and has slowed the card down for a second more.
class FakeCards final : public Cards {
 public:
  explicit FakeCards(FakeProcessRunner& runner, Milliseconds takes = Milliseconds(0))
      : runner_(runner), takes_(takes) {}

  std::optional<std::vector<std::string>> locks(std::string_view kind) override {
    kinds.emplace_back(kind);
    // The first time, it is not known yet.
    if (kinds.size() == 1) start();
    return running_ && readings == 0 ? std::nullopt : std::optional(std::vector<std::string>{"GPU-a"});
  }
  void read(std::string_view /*kind*/) override {
    EXPECT_FALSE(running_) << "one at a time";
    ++readings;
    start();
  }
  std::optional<std::vector<Card>> take() override { return std::exchange(read_, {}); }
  bool on_finished(const Finished& finished) override {
    if (running_ != finished.id) return false;
    running_.reset();
    ended.push_back(runner_.now());
    const auto seconds = static_cast<double>(readings);
    if (readings > 0)
      read_ = {Card{.uuid = "GPU-a", .slowed_s = {{"sw_power_cap", seconds}}},
               Card{.uuid = "GPU-b", .slowed_s = {{"sw_power_cap", 10 * seconds}}}};
    return true;
  }
  void give_up() override {
    if (!running_) return;
    runner_.cancel(*std::exchange(running_, {}), CancelMode::at_once);
    if (readings > 0) read_.emplace();
  }
  std::vector<std::string> notes() override { return std::exchange(notes_, {}); }

  int readings = 0;
  std::vector<Clock::time_point> ended;  ///< Its processes.
  std::vector<std::string> kinds;

 private:
  void start() {
    runner_.script({.result = {.outcome = Exited{0}, .out = {}, .err = {}}, .takes = takes_});
    running_ = *runner_.start({.argv = {"nvidia-smi"}});
  }

  FakeProcessRunner& runner_;
  Milliseconds takes_;
  std::optional<ProcessId> running_;
  std::optional<std::vector<Card>> read_;
  std::vector<std::string> notes_ = {"others use the card"};
};

/// Where cards are read.
class EngineWithCards : public EngineTest {
 protected:
  /// For how long each of its cards was, in a case's outcome.
  std::vector<double> slowed_down(std::size_t index = 0) {
    std::vector<double> seconds;
    for (const CardWatch& watch : witness_.outcomes.at(index).device_times.value().cards)
      seconds.push_back(watch.slowed_s->at("sw_power_cap"));
    return seconds;
  }
};

TEST_F(EngineWithCards, TheyAreReadAroundTimesOfADeviceAndOfNothingElse) {
  FakeCards cards(runner_);
  cards_ = &cards;
  add_cases(2);
  cases_[0].device = "cuda";
  hosts_.on_case = [&](const FakeRequest& request) {
    return FakeCase{.device = request.statement == "statement 0" ? "cuda" : ""};
  };
  run();
  EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::ok, 2}}));
  EXPECT_EQ(cards.readings, 2);
  EXPECT_THAT(cards.kinds, testing::Each("cuda"));
  EXPECT_THAT(slowed_down(), ElementsAre(1, 10)) << "each card";
  EXPECT_FALSE(witness_.outcomes.at(1).device_times);
  EXPECT_THAT(witness_.warnings, ElementsAre("others use the card"));
}

/// One of the processor beside one of a device, whose card takes eight seconds to be read.
class SlowCardsTest : public EngineWithCards {
 protected:
  SlowCardsTest() {
    cards_ = &slow_;
    settings_.counts = false;
    add_cases(2);
    cases_[0].device = "cuda";
    hosts_.on_case = [this](const FakeRequest& request) {
      begun_[request.statement] = runner_.now();
      return FakeCase{.device = request.statement == "statement 0" ? "cuda" : ""};
    };
  }

  static constexpr Milliseconds kTakes{8000};
  FakeCards slow_{runner_, kTakes};
  std::map<std::string, Clock::time_point> begun_;
};

TEST_F(SlowCardsTest, TimesOfADeviceBeginOnceItsCardIsReadAndNothingElseWaits) {
  const Clock::time_point start = runner_.now();
  run();
  EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::ok, 2}}));
  // Which cards there are, and their state before and after.
  ASSERT_THAT(slow_.ended, SizeIs(3));
  EXPECT_LT(begun_.at("statement 1") - start, kTakes) << "it is of the processor";
  EXPECT_GE(begun_.at("statement 0"), slow_.ended[1]) << "the card's state was known";
  EXPECT_LT(begun_.at("statement 0"), slow_.ended[2]);
  EXPECT_THAT(slowed_down(), ElementsAre(1, 10)) << "its outcome was complete";
}

TEST_F(SlowCardsTest, WithOneProcessorTheTurnOnADeviceHoldsNobodyUpForGood) {
  use_cpus(1);
  std::swap(cases_[0].device, cases_[1].device);
  hosts_.on_case = [](const FakeRequest& request) {
    return FakeCase{.device = request.statement == "statement 1" ? "cuda" : ""};
  };
  run();
  EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::ok, 2}}));
  EXPECT_THAT(slowed_down(1), ElementsAre(1, 10));
}

TEST_F(SlowCardsTest, AnInterruptionBeforeItsTimesDoesNotWaitForTheCard) {
  const Clock::time_point start = runner_.now();
  runner_.inject(Interrupted{1}, kTakes + kTakes / 2);  // the card is being read
  const ExecutionResult result = run();
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(slow_.readings, 1);
  EXPECT_EQ(runner_.now() - start, kTakes + kTakes / 2);
  EXPECT_FALSE(begun_.contains("statement 0"));
  EXPECT_FALSE(witness_.outcomes.contains(0));
  EXPECT_EQ(witness_.outcomes.at(1).ending, Ending::ok);
}

TEST_F(SlowCardsTest, AnInterruptionAfterItsTimesWaitsForTheCardNoLongerThanForWhatRuns) {
  const Clock::time_point start = runner_.now();
  runner_.inject(Interrupted{1}, 2 * kTakes + kTakes / 2);  // the card is being read again
  const ExecutionResult result = run();
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(slow_.readings, 2);
  EXPECT_LT(runner_.now() - start, 2 * kTakes + kTakes / 2 + seconds(4));
  ASSERT_TRUE(witness_.outcomes.at(0).device_times) << "its times were taken";
  EXPECT_THAT(slowed_down(), IsEmpty());
}

TEST_F(EngineTest, TimesOfADeviceWaitForACardThatAnotherRunHas) {
  FakeCards cards(runner_);
  cards_ = &cards;
  CpuLeases others = plain_cpus(8, folder_ + "/cpus");
  const auto held = others.try_lease({.count = 1, .devices = {"GPU-a"}});
  ASSERT_TRUE(held && *held);
  settings_.max_wait_s = 5;
  settings_.counts = false;
  add_cases(1);
  cases_[0].device = "cuda";
  hosts_.on_case = [&](const FakeRequest&) { return FakeCase{.device = "cuda"}; };
  const ExecutionResult result = run();
  ASSERT_TRUE(result.stopped);
  EXPECT_THAT(describe(*result.stopped), HasSubstr("has the device GPU-a"));
}

TEST_F(EngineTest, WhatIsToRunOnADeviceAndUsesNoneHasFailed) {
  add_cases(2);
  cases_[0].device = cases_[1].device = "cuda";
  hosts_.on_case = [&](const FakeRequest& request) {
    return FakeCase{.device = request.statement == "statement 0" ? "cuda" : ""};
  };
  run();
  EXPECT_EQ(endings(), (std::map<Ending, std::size_t>{{Ending::ok, 1}, {Ending::failed, 1}}));
  EXPECT_EQ(witness_.outcomes.at(1).failure.value().message,
            "it is to run on cuda, and has used no device: name it in the setup");
  EXPECT_FALSE(witness_.outcomes.at(1).counts || witness_.outcomes.at(1).wall);
}

}  // namespace
}  // namespace tally
