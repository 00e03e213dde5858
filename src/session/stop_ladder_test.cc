#include "session/stop_ladder.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

using Step = StopLadder::Step;
using std::chrono::seconds;

class StopLadderTest : public ::testing::Test {
 protected:
  [[nodiscard]] static Clock::time_point at(Milliseconds time) { return Clock::time_point{} + time; }
  StopLadder ladder_{at(Milliseconds(0)), seconds(20), seconds(60)};
};

TEST_F(StopLadderTest, AHostThatDoesNotForkInTimeIsEnded) {
  EXPECT_EQ(ladder_.next(), at(seconds(20)));
  EXPECT_EQ(ladder_.due(at(seconds(19))), std::nullopt);
  EXPECT_EQ(ladder_.due(at(seconds(20))), Step::end_host);
  ASSERT_TRUE(ladder_.reason());
  EXPECT_EQ(ladder_.reason()->ending, Ending::host_lost);
  EXPECT_EQ(ladder_.reason()->message, "the host did not answer within 20 s");
  EXPECT_EQ(ladder_.due(at(seconds(1000))), std::nullopt);
}

TEST_F(StopLadderTest, PastItsDeadlineAChildGetsEachSignalInTurnAndThenItsHostEnds) {
  ladder_.forked();
  EXPECT_EQ(ladder_.due(at(seconds(59))), std::nullopt);
  EXPECT_EQ(ladder_.due(at(seconds(60))), Step::interrupt);
  EXPECT_EQ(ladder_.due(at(Milliseconds(60'499))), std::nullopt);
  EXPECT_EQ(ladder_.due(at(Milliseconds(60'500))), Step::terminate);
  EXPECT_EQ(ladder_.due(at(Milliseconds(61'000))), Step::kill);
  EXPECT_EQ(ladder_.due(at(Milliseconds(65'999))), std::nullopt);
  EXPECT_EQ(ladder_.due(at(Milliseconds(66'000))), Step::end_host);
  EXPECT_EQ(ladder_.next(), Clock::time_point::max());
  EXPECT_EQ(ladder_.reason()->ending, Ending::timed_out);
  EXPECT_EQ(ladder_.reason()->message, "timed out after 60 s");
}

TEST_F(StopLadderTest, WhatItWaitsForAProcessorMovesItsDeadlineWithinALimit) {
  ladder_.forked();
  ladder_.waited(seconds(4), seconds(30));
  EXPECT_EQ(ladder_.next(), at(seconds(64)));
  ladder_.waited(seconds(40), seconds(30));
  EXPECT_EQ(ladder_.due(at(seconds(89))), std::nullopt);
  EXPECT_EQ(ladder_.due(at(seconds(90))), Step::interrupt);
  EXPECT_EQ(ladder_.reason()->message, "timed out after 60 s and 30 s of waiting for a processor");
  ladder_.waited(seconds(4), seconds(100));
  EXPECT_EQ(ladder_.due(at(Milliseconds(90'500))), Step::terminate) << "it is being stopped";
}

TEST_F(StopLadderTest, OneThatCleansUpHasTimeForItAfterSigterm) {
  StopLadder cleans(at(seconds(0)), seconds(20), seconds(60), seconds(30));
  cleans.forked();
  cleans.kill(at(seconds(1)), {Ending::cancelled, "cancelled"});
  EXPECT_EQ(cleans.due(at(seconds(1))), Step::terminate);
  cleans.kill(at(seconds(2)), {Ending::cancelled, "cancelled"});
  EXPECT_EQ(cleans.due(at(Milliseconds(31'499))), std::nullopt);
  EXPECT_EQ(cleans.due(at(Milliseconds(31'500))), Step::kill);
  EXPECT_EQ(cleans.due(at(Milliseconds(36'500))), Step::end_host);
}

TEST_F(StopLadderTest, TheFirstReasonCounts) {
  ladder_.forked();
  ladder_.stop(at(seconds(1)), {Ending::failed, "a message that is none"});
  EXPECT_EQ(ladder_.due(at(seconds(1))), Step::interrupt);
  ladder_.kill(at(seconds(1)), {Ending::cancelled, "cancelled"});
  EXPECT_EQ(ladder_.due(at(seconds(1))), Step::kill);
  EXPECT_EQ(ladder_.reason()->message, "a message that is none");
}

TEST_F(StopLadderTest, WhatIsStoppedAgainIsNotStoppedFromTheBeginning) {
  ladder_.forked();
  ladder_.stop(at(seconds(1)), {Ending::failed, "a message that is none"});
  EXPECT_EQ(ladder_.due(at(seconds(1))), Step::interrupt);
  ladder_.stop(at(seconds(1)), {Ending::failed, "again"});
  EXPECT_EQ(ladder_.due(at(seconds(1))), std::nullopt);
  ladder_.kill(at(seconds(1)), {Ending::failed, "memory"});
  ladder_.kill(at(seconds(1)), {Ending::failed, "memory"});
  EXPECT_EQ(ladder_.due(at(seconds(1))), Step::kill);
  EXPECT_EQ(ladder_.due(at(seconds(1))), std::nullopt);
}

TEST_F(StopLadderTest, WhoseHostIsEndedGetsNoSignals) {
  ladder_.give_up({Ending::host_lost, "the host cannot fork"});
  EXPECT_EQ(ladder_.due(at(seconds(1000))), std::nullopt);
  EXPECT_EQ(ladder_.next(), Clock::time_point::max());
}

}  // namespace
}  // namespace tally
