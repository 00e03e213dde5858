#include "serve/pulse.h"

#include <gtest/gtest.h>

namespace tally::serve {
namespace {

using State = Pulse::State;

TEST(Pulse, AServerIsAskedOnceBeforeItIsLost) {
  const Clock::time_point begin{};
  Pulse pulse(begin);
  EXPECT_EQ(pulse.feel(begin + Pulse::kSilence - Milliseconds(1)), State::well);
  const Clock::time_point asked = begin + Pulse::kSilence;
  EXPECT_EQ(pulse.feel(asked), State::to_be_asked);
  EXPECT_EQ(pulse.feel(asked + Milliseconds(1)), State::well);
  EXPECT_EQ(pulse.feel(asked + Pulse::kToAnswer), State::lost);
}

TEST(Pulse, WhatItSendsBeginsAnotherSilence) {
  const Clock::time_point begin{};
  Pulse pulse(begin);
  const Clock::time_point asked = begin + Pulse::kSilence;
  EXPECT_EQ(pulse.feel(asked), State::to_be_asked);
  pulse.on_event(asked + Milliseconds(5));
  EXPECT_EQ(pulse.feel(asked + Pulse::kToAnswer), State::well);
  EXPECT_EQ(pulse.silent(asked + Milliseconds(7)), Milliseconds(2));
}

TEST(Pulse, AClientThatWasStoppedAsksFirst) {
  const Clock::time_point begin{};
  Pulse pulse(begin);
  EXPECT_EQ(pulse.feel(begin + Pulse::kSilence * 60), State::to_be_asked);
}

}  // namespace
}  // namespace tally::serve
