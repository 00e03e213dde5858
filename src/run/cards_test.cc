#include "run/cards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "process/real_runner.h"

namespace tally {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A machine whose nvidia-smi is a script.
class CardsTest : public testing::Test {
 protected:
  NvidiaCards cards(const std::string& script, const std::string& visible = "all") {
    const std::filesystem::path program = folder_.path() / "nvidia-smi";
    EXPECT_TRUE(write_file(program, "#!/bin/sh\n" + script));
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    EnvironmentVariables environment = {{"PATH", folder_.path().string() + ":/usr/bin:/bin"}};
    if (visible != "all") environment.emplace_back("CUDA_VISIBLE_DEVICES", visible);
    return {runner_, environment};
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
  NvidiaCards two = cards(kTwoCards);
  const auto card = two.read("cuda");
  ASSERT_TRUE(card);
  EXPECT_EQ(card->uuid, "GPU-b");
  EXPECT_THAT(card->state.slowed_by, ElementsAre("sw_power_cap"));
}

TEST_F(CardsTest, EveryCardThatARunMayUseIsLeasedInOneOrder) {
  EXPECT_THAT(cards(kTwoCards).locks("cuda"), ElementsAre("GPU-a", "GPU-b"));
  EXPECT_THAT(cards(kTwoCards, "1").locks("cuda"), ElementsAre("GPU-a"));
  EXPECT_THAT(cards(kTwoCards, "MIG-01/2").locks("cuda"), ElementsAre("MIG-01_2"));
  EXPECT_THAT(cards(kTwoCards).locks("fake"), ElementsAre("fake"));
}

TEST_F(CardsTest, OthersOnTheCardAreNamedOnce) {
  NvidiaCards two = cards(kTwoCards);
  two.locks("cuda");
  EXPECT_THAT(two.notes("cuda"), ElementsAre(HasSubstr("process 4711 (python3)")));
  two.locks("cuda");
  EXPECT_THAT(two.notes("cuda"), IsEmpty());
  NvidiaCards other = cards(kTwoCards, "0");
  other.locks("cuda");
  EXPECT_THAT(other.notes("cuda"), IsEmpty()) << "it is on another card";
}

TEST_F(CardsTest, WithoutACardThereIsALockOfItsKindAndOneNote) {
  for (const char* script : {"echo \"NVIDIA-SMI has failed because it couldn't communicate\"; exit 9", "sleep 0"}) {
    NvidiaCards none = cards(script);
    EXPECT_THAT(none.locks("cuda"), ElementsAre("cuda"));
    EXPECT_THAT(none.notes("cuda"), ElementsAre(HasSubstr("nvidia-smi lists no card")));
    EXPECT_FALSE(none.read("cuda"));
  }
  NvidiaCards nowhere(runner_, {{"PATH", folder_.path().string() + "/nowhere"}});
  EXPECT_THAT(nowhere.locks("cuda"), ElementsAre("cuda"));
  EXPECT_THAT(describe_cards(runner_, {{"PATH", folder_.path().string() + "/nowhere"}}), IsEmpty());
}

TEST_F(CardsTest, ANewDriversCountersAreRead) {
  NvidiaCards one = cards(
      "echo 'GPU-a, NVIDIA H200, 580.1, 1980, 3201, 118.36, 700.00, 34, 0x0000000000000000, "
      "1500000, 0, 0, 0'");
  ASSERT_TRUE(one.read("cuda"));
  EXPECT_NEAR(one.read("cuda")->slowed_s.at("sw_power_cap"), 1.5, 1e-9);
  EXPECT_FALSE(one.read("fake"));
}

}  // namespace
}  // namespace tally
