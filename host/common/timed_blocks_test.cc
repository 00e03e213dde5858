/// Which blocks of a timed region are samples, by what they took.
#include "timed_blocks.h"

#include <gtest/gtest.h>

#include <array>

#include "warm_up.h"

namespace tally::host {
namespace {

using protocol::Field;

std::uint32_t g_faults = 0;
std::uint32_t faults() { return g_faults; }
std::uint32_t more_faults() { return ++g_faults; }

/// Blocks as a runner requests them.
struct Blocks {
  TimedBlocks blocks;
  std::uint64_t iterations = 0;

  explicit Blocks(std::initializer_list<std::pair<Field, std::uint64_t>> fields, std::uint64_t fixed = 0) {
    std::array<char, 256> buffer{};
    protocol::Writer writer(buffer, protocol::MessageType::time, 1);
    for (const auto& [field, value] : fields) writer.number(field, value);
    const std::string_view frame = writer.finish();
    iterations = blocks.request({protocol::MessageType::time, 1, frame.substr(protocol::kHeaderSize)}, fixed);
    blocks.begin_region();
  }
  bool sample(double elapsed_ns, std::uint32_t (*page_faults)() = faults) {
    return blocks.is_sample(elapsed_ns, static_cast<std::uint64_t>(elapsed_ns), iterations, page_faults);
  }
};

TEST(TimedBlocks, AGivenNumberOfExecutionsIsKept) {
  EXPECT_EQ(Blocks({{Field::iterations, 7}}).iterations, 7U);
  EXPECT_EQ(Blocks({{Field::iterations, 7}}, 3).iterations, 3U);
  Blocks given({{Field::iterations, 7}});
  EXPECT_TRUE(given.sample(1));
  EXPECT_EQ(given.iterations, 7U);
}

TEST(TimedBlocks, ExecutionsBecomeMoreUntilABlockIsLongEnoughAndTheFirstThatIsIsCold) {
  Blocks blocks({{Field::block_ns, 1000}});
  EXPECT_EQ(blocks.iterations, 1U);
  EXPECT_FALSE(blocks.sample(10));
  EXPECT_EQ(blocks.iterations, 10U) << "no more than ten times";
  EXPECT_FALSE(blocks.sample(800));
  EXPECT_EQ(blocks.iterations, 14U) << "a little beyond";
  EXPECT_FALSE(blocks.sample(1100)) << "it paid for its page faults";
  EXPECT_TRUE(blocks.sample(1050));
  EXPECT_EQ(blocks.iterations, 14U);
}

TEST(TimedBlocks, ALongBlockIsNotExecutedTwice) {
  Blocks blocks({{Field::block_ns, 1000}});
  EXPECT_TRUE(blocks.sample(60e6));
}

TEST(TimedBlocks, ABlockThatIsNearlyAllPausedIsLongEnough) {
  Blocks blocks({{Field::block_ns, 1000}});
  EXPECT_FALSE(blocks.blocks.is_sample(10, 20'000, blocks.iterations, faults));
  EXPECT_EQ(blocks.iterations, 1U) << "it was the cold one";
  EXPECT_TRUE(blocks.blocks.is_sample(10, 20'000, blocks.iterations, faults));
}

TEST(TimedBlocks, WhatFindsTheNumberIsNotSpent) {
  Blocks blocks({{Field::block_ns, 1000}, {Field::budget_ns, 10'000}});
  EXPECT_FALSE(blocks.sample(1100));
  EXPECT_FALSE(blocks.sample(1100)) << "the number is found, and the region begins";
  EXPECT_TRUE(blocks.blocks.wants_more(0));
  EXPECT_FALSE(blocks.sample(600)) << "a page fault may have come since the last look";
}

TEST(TimedBlocks, ABlockIsSampledWhereNoPageFaultCameForATwentiethOfTheTime) {
  g_faults = 0;
  Blocks blocks({{Field::iterations, 5}, {Field::budget_ns, 20'000}});
  EXPECT_FALSE(blocks.sample(600, faults)) << "too early";
  EXPECT_FALSE(blocks.sample(600, faults)) << "settled with this block";
  EXPECT_TRUE(blocks.sample(600, faults));
}

TEST(TimedBlocks, PageFaultsKeepBlocksFromBeingSampledForAQuarterOfTheTimeAtMost) {
  Blocks blocks({{Field::iterations, 5}, {Field::budget_ns, 20'000}});
  for (int block = 0; block < 5; ++block) EXPECT_FALSE(blocks.sample(1000, more_faults)) << block;
  EXPECT_TRUE(blocks.sample(1000, more_faults));
}

TEST(TimedBlocks, ThereAreEnoughWhereTheTimeIsSpentAndTheLeastNumberIsThere) {
  Blocks blocks({{Field::iterations, 5}, {Field::budget_ns, 1000}, {Field::least_samples, 3}});
  EXPECT_TRUE(blocks.sample(1000));
  EXPECT_TRUE(blocks.blocks.wants_more(2));
  EXPECT_FALSE(blocks.blocks.wants_more(3));
}

TEST(TimedBlocks, TheNextRegionKeepsTheNumberThatTheFirstHasFound) {
  Blocks blocks({{Field::block_ns, 1000}});
  blocks.blocks.keep_number();
  blocks.blocks.begin_region();
  EXPECT_TRUE(blocks.sample(10));
  EXPECT_EQ(blocks.iterations, 1U);
}

TEST(WarmUp, IsOnePartWhereNothingIsSettled) {
  WarmUp warm_up(10);
  warm_up.begin(3);
  EXPECT_EQ(warm_up.next(false).executions, 7U);
  EXPECT_EQ(warm_up.next(false).executions, 0U);
  warm_up.begin(20);
  EXPECT_EQ(warm_up.next(false).executions, 0U) << "all of it was done";
}

TEST(WarmUp, SettlesAfterAHalfAndAgainOneExecutionLater) {
  WarmUp warm_up(9);
  warm_up.begin(0);
  const WarmUp::Part first = warm_up.next(true);
  EXPECT_EQ(first.executions, 5U);
  EXPECT_FALSE(first.settles);
  const WarmUp::Part one = warm_up.next(true);
  EXPECT_EQ(one.executions, 1U);
  EXPECT_TRUE(one.settles && !one.again);
  const WarmUp::Part second = warm_up.next(true);
  EXPECT_EQ(second.executions, 5U);
  EXPECT_TRUE(second.settles && second.again);
  EXPECT_EQ(warm_up.next(true).executions, 0U);
}

TEST(WarmUp, OfNoExecutionsIsOver) { EXPECT_EQ(WarmUp(0).next(true).executions, 0U); }

}  // namespace
}  // namespace tally::host
