/// What the threads of a team have in common while each has a loop of its own.
#include "team.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

namespace tally::detail {
namespace {

constexpr int kThreads = 4;

TEST(Team, EachThreadGoesByItsOwnStepWhateverTheOthersHaveBegun) {
  std::atomic<int> decided = 0;
  std::array<std::uint64_t, kThreads> executions{};
  const auto function = [&](Call& call) {
    // The others know how many executions they have before the first one has said how its loop goes.
    while (call.thread() == 0 && decided < kThreads - 1) std::this_thread::yield();
    open(&call, nullptr, 4);
    std::uint64_t& mine = executions[static_cast<std::size_t>(call.thread())];
    mine = wait(&call);
    ++decided;
    start(&call);
    EXPECT_EQ(wait(&call), 0U);
  };
  Facts facts;
  const TeamResult result = run_team(function, facts, {}, 10, kThreads, nullptr);
  EXPECT_EQ(result.failed, "");
  EXPECT_EQ(result.done, 12U);
  EXPECT_EQ(facts.step, 4U);
  for (const std::uint64_t one : executions) EXPECT_EQ(one, 12U);
}

/// Notes what is left out of the time.
class Stopwatch : public Meter {
 public:
  void start() override {}
  void finish() override {}
  void pause() override { ADD_FAILURE() << "threads pause by themselves"; }
  void resume() override {}
  void add_manual_time(double /*seconds*/) override {}
  void leave_out(std::uint64_t paused_ns) override { left_out_ns += paused_ns; }
  std::uint64_t left_out_ns = 0;
};

TEST(Team, WhatItsThreadsPauseIsLeftOutByItsMean) {
  constexpr auto kPause = std::chrono::milliseconds(100);
  const auto nanoseconds = [](auto time) { return static_cast<std::uint64_t>(std::chrono::nanoseconds(time).count()); };
  // Two of four threads pause twice; one of these leaves its loop while it does.
  const auto function = [&](Call& call) {
    open(&call, nullptr, 1);
    while (next(&call) > 0) {
      for (int i = 0; call.thread() < 2 && i < 2; ++i) {
        pause(&call);
        std::this_thread::sleep_for(kPause);
        if (call.thread() == 0 || i == 0) resume(&call);
      }
    }
  };
  Facts facts;
  Stopwatch stopwatch;
  EXPECT_EQ(run_team(function, facts, {}, 1, kThreads, &stopwatch).failed, "");
  EXPECT_GE(stopwatch.left_out_ns, nanoseconds(kPause));
  EXPECT_LT(stopwatch.left_out_ns, nanoseconds(2 * kPause)) << "four pauses of four threads";
}

TEST(Team, AllGoByOneSizeOfChunks) {
  std::array<std::size_t, kThreads> chunks{};
  const auto function = [&](Call& call) {
    open(&call, nullptr, 1);
    const auto thread = static_cast<std::size_t>(call.thread());
    chunks[thread] = chunk_of(&call, 100'000 * (thread + 1));
    while (next(&call) > 0) {
    }
  };
  Facts facts;
  EXPECT_EQ(run_team(function, facts, {}, 10, kThreads, nullptr).failed, "");
  for (const std::size_t one : chunks) EXPECT_EQ(one, facts.chunk);
}

}  // namespace
}  // namespace tally::detail
