/// What the threads of a team have in common while each has a loop of its own.
#include "team.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
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
