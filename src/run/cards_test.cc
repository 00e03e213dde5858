#include "run/cards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "process/real_runner.h"
#include "process/testing/fake_runner.h"

namespace tally {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A machine whose nvidia-smi is a script.
class CardsTest : public testing::Test {
 protected:
  EnvironmentVariables machine(const std::string& script, const std::string& visible = "all") {
    const std::filesystem::path program = folder_.path() / "nvidia-smi";
    EXPECT_TRUE(write_file(program, "#!/bin/sh\n" + script));
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    EnvironmentVariables environment = {{"PATH", folder_.path().string() + ":/usr/bin:/bin"}};
    if (visible != "all") environment.emplace_back("CUDA_VISIBLE_DEVICES", visible);
    return environment;
  }
  /// Until what it was started for has ended.
  void wait_for(NvidiaCards& cards) {
    bool waits = true;
    while (waits) {
      const std::vector<Event> events = runner_.wait();
      waits = !events.empty();
      for (const Event& event : events) {
        if (const auto* finished = std::get_if<Finished>(&event)) EXPECT_TRUE(cards.on_finished(*finished));
      }
    }
  }
  std::vector<std::string> locks_of(NvidiaCards& cards, std::string_view kind = "cuda") {
    cards.locks(kind);
    wait_for(cards);
    return cards.locks(kind).value();
  }
  std::vector<Card> read(NvidiaCards& cards, std::string_view kind = "cuda") {
    cards.read(kind);
    wait_for(cards);
    return cards.take().value();
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  RealProcessRunner runner_{TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor"};
};

constexpr const char* kTwoCards = R"(case $1 in
  *counters*) echo 'Field "clocks_event_reasons_counters.sw_power_cap" is not a valid field to query.'; exit 2 ;;
  *clocks_event_reasons*) echo 'Field "clocks_event_reasons.active" is not a valid field to query.'; exit 2 ;;
  --query-gpu*)
    echo 'GPU-b, NVIDIA A100, 470.1, 1275, 1215, 400.00, 400.00, 70, 0x0000000000000004'
    echo 'GPU-a, NVIDIA A100, 470.1, 210, 1215, 50.00, 400.00, 30, 0x0000000000000001' ;;
  --query-compute-apps*) echo '4711, GPU-a, /usr/bin/python3' ;;
esac)";

TEST_F(CardsTest, AnOlderDriversFieldsAreRequestedWhereItKnowsNoOthers) {
  NvidiaCards two(runner_, machine(kTwoCards));
  const std::vector<Card> cards = read(two);
  ASSERT_THAT(cards, SizeIs(2));
  EXPECT_EQ(cards[0].uuid, "GPU-b");
  EXPECT_THAT(cards[0].state.slowed_by, ElementsAre("sw_power_cap"));
  EXPECT_FALSE(two.take()) << "each reading once";
}

TEST_F(CardsTest, EveryCardThatARunMayUseIsLeasedInOneOrder) {
  const auto locks = [this](const std::string& visible, std::string_view kind = "cuda") {
    NvidiaCards two(runner_, machine(kTwoCards, visible));
    return locks_of(two, kind);
  };
  EXPECT_THAT(locks("all"), ElementsAre("GPU-a", "GPU-b"));
  EXPECT_THAT(locks("1"), ElementsAre("GPU-a"));
  EXPECT_THAT(locks("MIG-01/2"), ElementsAre("MIG-01_2"));
  EXPECT_THAT(locks("all", "fake"), ElementsAre("fake"));
}

TEST_F(CardsTest, OthersOnTheCardAreNamedOnce) {
  NvidiaCards two(runner_, machine(kTwoCards));
  EXPECT_FALSE(two.locks("cuda")) << "which these are is being found out";
  locks_of(two);
  EXPECT_THAT(two.notes(), ElementsAre(HasSubstr("process 4711 (python3)")));
  locks_of(two);
  EXPECT_THAT(two.notes(), IsEmpty());
  NvidiaCards other(runner_, machine(kTwoCards, "0"));
  locks_of(other);
  EXPECT_THAT(other.notes(), IsEmpty()) << "it is on another card";
}

TEST_F(CardsTest, WithoutACardThereIsALockOfItsKindAndOneNote) {
  for (const char* script : {"echo \"NVIDIA-SMI has failed because it couldn't communicate\"; exit 9", "sleep 0"}) {
    NvidiaCards none(runner_, machine(script));
    EXPECT_THAT(locks_of(none), ElementsAre("cuda"));
    EXPECT_THAT(none.notes(), ElementsAre(HasSubstr("nvidia-smi lists no card")));
    EXPECT_THAT(read(none), IsEmpty());
  }
  NvidiaCards nowhere(runner_, {{"PATH", folder_.path().string() + "/nowhere"}});
  EXPECT_THAT(nowhere.locks("cuda").value(), ElementsAre("cuda"));
  EXPECT_THAT(describe_cards(runner_, {{"PATH", folder_.path().string() + "/nowhere"}}), IsEmpty());
}

TEST_F(CardsTest, ANewDriversCountersAreRead) {
  const EnvironmentVariables environment = machine(
      "echo 'GPU-a, NVIDIA H200, 580.1, 1980, 3201, 118.36, 700.00, 34, 0x0000000000000000, "
      "1500000, 0, 0, 0'");
  NvidiaCards one(runner_, environment);
  const std::vector<Card> cards = read(one);
  ASSERT_THAT(cards, SizeIs(1));
  EXPECT_NEAR(cards[0].slowed_s.at("sw_power_cap"), 1.5, 1e-9);
  EXPECT_THAT(read(one, "fake"), IsEmpty());
  EXPECT_THAT(describe_cards(runner_, environment), ElementsAre(HasSubstr("NVIDIA H200, driver 580.1: 1980 MHz")));
}

TEST_F(CardsTest, AReadingThatIsGivenUpHasReadNoCardAndTheNextOneReadsIt) {
  const EnvironmentVariables environment = machine(
      "test -e ${0%/*}/ready || exec sleep 600\n"
      "echo 'GPU-a, NVIDIA H200, 580.1, 1980, 3201, 118.36, 700.00, 34, 0x0000000000000000'");
  NvidiaCards slow(runner_, environment);
  slow.read("cuda");
  EXPECT_FALSE(slow.take());
  slow.give_up();
  EXPECT_THAT(slow.take().value(), IsEmpty());
  EXPECT_TRUE(write_file(folder_.path() / "ready", ""));
  for (const Event& event : runner_.wait()) EXPECT_FALSE(slow.on_finished(std::get<Finished>(event))) << "no more";
  EXPECT_THAT(read(slow), SizeIs(1));
}

/// Time passes only in this runner.
TEST(SlowNvidiaSmi, OneThatDoesNotAnswerIsStartedOnce) {
  const auto folder = TemporaryFolder::make();
  const std::filesystem::path program = folder->path() / "nvidia-smi";
  ASSERT_TRUE(write_file(program, "#!/bin/sh\n"));
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  FakeProcessRunner runner;
  runner.play = [](const ProcessRequest&) {
    return ScriptedProcess{.result = {.outcome = Exited{0}, .out = {}, .err = {}}, .takes = Milliseconds(60'000)};
  };
  NvidiaCards cards(runner, {{"PATH", folder->path().string()}});
  const Clock::time_point start = runner.now();
  EXPECT_FALSE(cards.locks("cuda"));
  while (!cards.locks("cuda")) {
    for (const Event& event : runner.wait()) EXPECT_TRUE(cards.on_finished(std::get<Finished>(event)));
  }
  EXPECT_EQ(runner.now() - start, Milliseconds(10'000));
  EXPECT_THAT(cards.locks("cuda").value(), ElementsAre("cuda"));
  EXPECT_THAT(cards.notes(), ElementsAre(HasSubstr("nvidia-smi has not answered within 10 s")));
  cards.read("cuda");
  EXPECT_THAT(cards.take().value(), IsEmpty());
  EXPECT_THAT(runner.started, SizeIs(1));
}

}  // namespace
}  // namespace tally
