#include "trace/timeline.h"

#include <gtest/gtest.h>

#include <string>

#include "trace/analyse.h"
#include "trace/figures.h"
#include "trace/read_trace.h"

namespace tally::trace {
namespace {

std::string event(const std::string& category, const std::string& name, int thread, int start, int length,
                  const std::string& more) {
  return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": 0, "tid": )" +
         std::to_string(thread) + R"(, "ts": )" + std::to_string(start) + R"(, "dur": )" + std::to_string(length) +
         R"(, "args": {)" + more + "}}";
}
std::string call(const std::string& name, int start, int length, int correlation) {
  return event("cuda_runtime", name, 1, start, length, R"("correlation": )" + std::to_string(correlation));
}
std::string work(const std::string& category, const std::string& name, int stream, int start, int length,
                 int correlation) {
  const std::string number = std::to_string(stream);
  return event(category, name, stream, start, length,
               R"("device": 0, "stream": )" + number + R"(, "correlation": )" + std::to_string(correlation));
}

TraceFigures figures_of(std::size_t most) {
  const std::string text = "[" + work("kernel", "later", 9, 90, 5, 3) + "," + call("cudaLaunchKernel", 0, 5, 1) + "," +
                           work("kernel", "first", 7, 10, 20, 1) + "," + work("gpu_memcpy", "copy", 7, 40, 10, 2) +
                           "," + call("cudaMemcpyAsync", 12, 2, 2) + "," + call("cudaDeviceSynchronize", 20, 40, 4) +
                           "," + call("cudaLaunchKernel", 70, 4, 3) + "]";
  const auto source = memory_source(text);
  auto data = read_trace(*source, {});
  EXPECT_TRUE(data.has_value());
  return analyse(*data, {.timeline_events = most});
}

TEST(Timeline, HasEachEventInItsRowWithItsLaunch) {
  const Timeline timeline = *figures_of(100).timeline;
  ASSERT_EQ(timeline.rows.size(), 3U);
  EXPECT_EQ(timeline.rows[0].device, "0");
  EXPECT_EQ(timeline.rows[0].label, "7");
  EXPECT_EQ(timeline.rows[0].count, 2U);
  EXPECT_EQ(timeline.rows[1].label, "9");
  EXPECT_EQ(timeline.rows[2].device, "");
  EXPECT_EQ(timeline.rows[2].count, 4U);
  ASSERT_EQ(timeline.start.size(), 7U);
  EXPECT_EQ(timeline.names.at(timeline.name[0]), "first");
  EXPECT_EQ(timeline.duration[0], 20'000);
  EXPECT_EQ(timeline.kind[0], EventKind::compute);
  EXPECT_EQ(timeline.kind[1], EventKind::copy);
  EXPECT_EQ(timeline.names.at(timeline.name[2]), "later");
  EXPECT_EQ(timeline.launch[2], 6U);
  EXPECT_EQ(timeline.start[6], 70'000);
  EXPECT_EQ(timeline.kind[5], EventKind::synchronise);
  EXPECT_EQ(timeline.launch[3], Timeline::kNoLaunch) << "a call is launched by nothing";
  EXPECT_EQ(timeline.left_out, 0U);
  EXPECT_FALSE(figures_of(0).timeline);
}

TEST(Timeline, LeavesTheShortestOutWhereThereIsNoRoom) {
  const Timeline timeline = *figures_of(3).timeline;
  ASSERT_EQ(timeline.start.size(), 3U);
  EXPECT_EQ(timeline.left_out, 4U);
  EXPECT_EQ(timeline.left_out_time, 5'000 + 5'000 + 2'000 + 4'000);
  EXPECT_EQ(timeline.duration, (std::vector<Nanoseconds>{20'000, 10'000, 40'000}));
  EXPECT_EQ(timeline.launch[0], Timeline::kNoLaunch) << "its call is one of those";
}

TEST(Timeline, HasTheOutermostOperatorsOfThreadsThatLaunch) {
  const auto op = [](const char* name, int thread, int start, int length) {
    return event("cpu_op", name, thread, start, length, "");
  };
  const std::string text = "[" + op("aten::linear", 1, 0, 50) + "," + op("aten::addmm", 1, 5, 40) + "," +
                           op(R"(aten::relu \"x\")", 1, 60, 10) + "," + op("idle", 2, 0, 90) + "," +
                           call("cudaLaunchKernel", 10, 5, 1) + "," + work("kernel", "gemm", 7, 20, 30, 1) + "]";
  const auto source = memory_source(text);
  auto data = read_trace(*source, {.operators = true});
  ASSERT_TRUE(data.has_value());
  const Timeline timeline = *analyse(*data, {.timeline_events = 100}).timeline;
  ASSERT_EQ(timeline.rows.size(), 3U) << "the other thread launches nothing";
  EXPECT_TRUE(timeline.rows[1].operators) << "above its thread's calls";
  EXPECT_EQ(timeline.rows[1].label, timeline.rows[2].label);
  ASSERT_EQ(timeline.rows[1].count, 2U) << "what an operator calls is in it";
  EXPECT_EQ(timeline.names.at(timeline.name[1]), "aten::linear");
  EXPECT_EQ(timeline.duration[1], 50'000);
  EXPECT_EQ(timeline.kind[1], EventKind::op);
  EXPECT_EQ(timeline.names.at(timeline.name[2]), "aten::relu \"x\"");
  EXPECT_EQ(timeline.names.at(timeline.name[3]), "cudaLaunchKernel");
  EXPECT_EQ(timeline.launch[0], 3U);

  // Old exporters write steps as operators, which would cover all others.
  const std::string stepped = "[" + op("ProfilerStep#1", 1, 0, 100) + "," + text.substr(1);
  auto in_steps = read_trace(*memory_source(stepped), {.operators = true});
  ASSERT_TRUE(in_steps.has_value());
  EXPECT_EQ(analyse(*in_steps, {.timeline_events = 100}).timeline->rows[1].count, 2U);

  const Timeline short_one = *analyse(*data, {.timeline_events = 2}).timeline;
  EXPECT_EQ(short_one.rows[0].count + short_one.rows[2].count, 2U) << "operators are left out first";
  EXPECT_EQ(short_one.left_out, 2U);
}

TEST(Timeline, GapsComeWithTheirCauses) {
  const TraceFigures figures = figures_of(100);
  const std::vector<IdleGap>& gaps = figures.devices.at(0).gaps;
  ASSERT_EQ(gaps.size(), 2U);
  EXPECT_EQ(gaps[0].start, 50'000);
  EXPECT_EQ(gaps[0].length, 40'000);
  EXPECT_EQ(gaps[0].cause, IdleCause::synchronise);
  EXPECT_EQ(gaps[1].cause, IdleCause::kernel);
  EXPECT_EQ(figures.devices.at(0).idle.synchronise, 40'000);
  EXPECT_TRUE(figures_of(0).devices.at(0).gaps.empty());
}

}  // namespace
}  // namespace tally::trace
