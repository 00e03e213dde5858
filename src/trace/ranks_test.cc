#include "trace/ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally::trace {
namespace {

TraceResult trace(const std::string& path, int rank, Nanoseconds compute, Nanoseconds communication) {
  TraceResult result;
  result.path = path;
  result.reading.rank = rank;
  DeviceFigures device;
  device.device = "0";
  device.parts.compute = compute;
  device.parts.communication = communication;
  device.steps = {{"one", 0, 10, {}}, {"two", 10, 30, {}}};
  result.figures.devices.push_back(std::move(device));
  return result;
}

std::vector<TraceResult> traces(const std::vector<std::tuple<const char*, int, Nanoseconds, Nanoseconds>>& given) {
  std::vector<TraceResult> all;
  all.reserve(given.size());
  for (const auto& [path, rank, compute, communication] : given)
    all.push_back(trace(path, rank, compute, communication));
  return all;
}

TEST(Ranks, TheOneWithTheMostComputeIsWaitedFor) {
  const RankComparison ranks = compare_ranks(traces({{"c", 2, 100, 50}, {"a", 0, 200, 10}, {"b", 1, 120, 30}}));
  ASSERT_EQ(ranks.rows.size(), 3U);
  EXPECT_EQ(ranks.rows[0].path, "a");
  EXPECT_EQ(ranks.rows[2].path, "c");
  EXPECT_EQ(ranks.straggler, 0);
  EXPECT_DOUBLE_EQ(ranks.compute_imbalance, (200 - 140.0) / 140);
  EXPECT_DOUBLE_EQ(ranks.comm_imbalance, (50 - 30.0) / 30);
  EXPECT_EQ(ranks.waiting, 40 + 20);
  EXPECT_DOUBLE_EQ(ranks.rows[0].step_mean_ns, 15);
}

TEST(Ranks, NobodyLagsAloneOrAmongEquals) {
  EXPECT_EQ(compare_ranks(traces({{"a", 0, 200, 10}})).straggler, -1);
  EXPECT_EQ(compare_ranks({}).rows.size(), 0U);
  const RankComparison equal = compare_ranks(traces({{"b", -1, 5, 0}, {"a", -1, 5, 0}}));
  EXPECT_EQ(equal.straggler, -1);
  EXPECT_EQ(equal.rows[0].path, "b") << "one rank: the order given";
  EXPECT_EQ(equal.comm_imbalance, 0);
}

}  // namespace
}  // namespace tally::trace
