#include "trace/figures.h"
#include "trace/analyse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "trace/read_trace.h"

namespace tally::trace {
namespace {

/// Builds a trace; times are whole microseconds.
struct Builder {
  std::string text = "[";
  void add(const std::string& event) { text += (text.size() > 1 ? ",\n" : "") + event; }
  void span(const std::string& cat, const std::string& name, int thread, int start, int length,
            const std::string& args) {
    add(R"({"ph": "X", "cat": ")" + cat + R"(", "name": ")" + name + R"(", "pid": 0, "tid": )" +
        std::to_string(thread) + R"(, "ts": )" + std::to_string(start) + R"(, "dur": )" + std::to_string(length) +
        R"(, "args": {)" + args + "}}");
  }
  void work(const std::string& cat, const std::string& name, int start, int length, int correlation,
            const std::string& more = "") {
    span(cat, name, 7, start, length,
         R"("device": 0, "stream": 7, "correlation": )" + std::to_string(correlation) +
             (more.empty() ? "" : ", " + more));
  }
  void call(const std::string& name, int start, int length, int correlation) {
    span("cuda_runtime", name, 1, start, length, R"("correlation": )" + std::to_string(correlation));
  }
};

TraceFigures figures_of(const Builder& b, AnalyseOptions options = {}, TraceData* data = nullptr) {
  const std::string text = b.text + "]";
  const auto source = memory_source(text);
  auto read = read_trace(*source, {.operators = true, .legacy = true});
  EXPECT_TRUE(read.has_value());
  EXPECT_EQ(read->reading.pieces_dropped + read->reading.refused.total(), 0U);
  auto figures = analyse(*read, options);
  if (data != nullptr) *data = std::move(*read);
  return figures;
}

TEST(Figures, GivesEachGapItsCause) {
  Builder b;
  b.call("cudaLaunchKernel", 0, 5, 1);
  b.work("kernel", "a", 10, 10, 1);  // 10 … 20
  b.call("cudaLaunchKernel", 12, 2, 2);
  b.work("kernel", "b", 23, 7, 2);  // 3 µs after a, launched before its end: kernel wait
  b.call("cudaLaunchKernel", 35, 2, 3);
  b.work("kernel", "c", 40, 10, 3);  // 10 µs, launched late: host wait
  b.call("cudaDeviceSynchronize", 38, 15, 4);
  b.call("cudaLaunchKernel", 60, 2, 5);
  b.work("kernel", "d", 70, 10, 5);  // 20 µs, the thread waited at 50: synchronisation
  b.work("kernel", "e", 85, 5, 99);  // 5 µs, no call known: other
  const TraceFigures f = figures_of(b);
  ASSERT_EQ(f.devices.size(), 1U);
  const IdleCauses& i = f.devices[0].idle;
  EXPECT_EQ(i.kernel, 3'000);
  EXPECT_EQ(i.host, 10'000);
  EXPECT_EQ(i.synchronise, 20'000);
  EXPECT_EQ(i.other, 5'000);
  EXPECT_EQ(i.gaps, 4U);
  EXPECT_EQ(i.longest, 20'000);
  EXPECT_EQ(f.devices[0].parts.idle, 38'000);
}

TEST(Figures, MeasuresLaunchesQueueAndGraphs) {
  Builder b;
  b.call("cudaLaunchKernel", 0, 2, 1);
  b.call("cudaLaunchKernel", 2, 2, 2);
  b.call("cudaGraphLaunch", 4, 4, 3);
  b.work("kernel", "a", 10, 10, 1);
  b.work("kernel", "b", 20, 10, 2);
  b.work("kernel", "g1", 30, 10, 3);
  b.work("kernel", "g2", 40, 10, 3);
  b.work("kernel", "g3", 50, 10, 3);
  const TraceFigures f = figures_of(b);
  const DeviceFigures& d = f.devices.at(0);
  ASSERT_TRUE(d.launch_latency.has_value());
  EXPECT_EQ(d.launch_latency->count, 3U);  // The graph's later kernels were not launched one by one.
  EXPECT_EQ(d.launch_latency->min, 10'000);
  EXPECT_EQ(d.launch_latency->p50, 18'000);
  EXPECT_EQ(d.launch_latency->max, 26'000);
  EXPECT_EQ(d.linked, 5U);
  EXPECT_EQ(d.graph_launches, 1U);
  EXPECT_EQ(d.graph_work, 3U);
  ASSERT_TRUE(d.queue.has_value());
  EXPECT_EQ(d.queue->longest, 3U);
  // 0-2: 1, 2-4: 2, 4-10: 3, 10-20: 2, 20-30: 1.
  EXPECT_DOUBLE_EQ(d.queue->mean, (2 * 1 + 2 * 2 + 6 * 3 + 10 * 2 + 10 * 1) / 30.0);
  EXPECT_EQ(d.queue->share_empty, 0);
}

TEST(Figures, JoinsRepeatedCorrelationIdsInOrderOfTime) {
  Builder b;
  for (int k = 0; k < 3; ++k) {
    b.work("kernel", "a", 1000 * k + 50, 10, 1);
    b.call("cudaLaunchKernel", 1000 * k + 40 - k, 2, 1);
  }
  const TraceFigures f = figures_of(b);
  EXPECT_EQ(f.devices[0].launch_latency->min, 10'000);
  EXPECT_EQ(f.devices[0].launch_latency->max, 12'000);
  EXPECT_EQ(f.devices[0].launch_latency->count, 3U);
}

TEST(Figures, DividesMathByOperatorAndByName) {
  Builder b;
  const auto op = [&](const std::string& name, int start, int length) { b.span("cpu_op", name, 1, start, length, ""); };
  op("aten::conv2d", 0, 10);
  op("aten::mm", 2, 5);  // Inside the convolution: still a convolution.
  b.call("cudaLaunchKernel", 3, 1, 1);
  b.work("kernel", "sgemm_1688", 100, 10, 1);
  op("aten::linear", 20, 10);
  b.call("cudaLaunchKernel", 22, 1, 2);
  b.work("kernel", "sgemm_simt", 110, 20, 2);
  op("aten::add", 40, 10);
  b.call("cudaLaunchKernel", 42, 1, 3);
  b.work("kernel", "add_kernel", 130, 30, 3);
  b.call("cudaLaunchKernel", 60, 1, 4);  // No operator around it.
  b.work("kernel", "triton_poi_0", 160, 40, 4);
  b.work("kernel", "ncclAllReduce", 200, 50, 5);  // Communication is not divided.
  const TraceFigures f = figures_of(b);
  const DeviceFigures& d = f.devices.at(0);
  ASSERT_TRUE(d.by_operator.has_value());
  EXPECT_EQ(d.by_operator->total, 100'000);
  EXPECT_EQ(d.by_operator->convolution, 10'000);
  EXPECT_EQ(d.by_operator->matmul, 20'000);
  EXPECT_EQ(d.by_operator->other, 30'000);
  EXPECT_EQ(d.by_operator->unclassified, 40'000);
  EXPECT_EQ(d.by_name.matmul, 30'000);
  EXPECT_EQ(d.by_name.other, 30'000);
  EXPECT_EQ(d.by_name.unclassified, 40'000);
  EXPECT_EQ(d.tensor_core_time, 10'000);
}

TEST(Figures, ClipsWorkToProfilerSteps) {
  Builder b;
  b.span("user_annotation", "ProfilerStep#1", 1, 0, 100, "");
  b.span("user_annotation", "ProfilerStep#2", 1, 100, 100, "");
  b.span("user_annotation", "else", 1, 0, 500, "");
  b.work("kernel", "a", 50, 100, 1);                                     // half in each
  b.work("gpu_memcpy", "Memcpy HtoD", 150, 100, 2, R"("bytes": 5000)");  // 150 … 250: half outside
  const TraceFigures f = figures_of(b);
  const DeviceFigures& d = f.devices.at(0);
  ASSERT_EQ(d.steps.size(), 2U);
  EXPECT_EQ(d.steps[0].parts.busy, 50'000);
  EXPECT_EQ(d.steps[0].parts.idle, 50'000);
  EXPECT_EQ(d.steps[1].parts.compute, 50'000);
  EXPECT_EQ(d.steps[1].parts.exposed_memory, 50'000);
  ASSERT_TRUE(d.steps_parts.has_value());
  EXPECT_EQ(d.steps_parts->window, 200'000);
  EXPECT_EQ(d.steps_parts->busy, 150'000);
  EXPECT_EQ(d.parts.window, 200'000);  // 50 … 250
  EXPECT_EQ(d.parts.busy, 200'000);
  const CopyTotals& copies = d.copies[static_cast<std::size_t>(CopyDirection::host_to_device)];
  EXPECT_EQ(copies.bytes, 5000U);
  EXPECT_EQ(copies.nanoseconds, 100'000U);
}

TEST(Figures, KernelsAtTheSameTimeAreNoMoreThanTheWholeOfTheMultiprocessors) {
  Builder b;
  b.work("kernel", "f", 0, 50, 1, R"("blocks per SM": 4.0)");
  b.work("kernel", "g", 0, 50, 2, R"("blocks per SM": 4.0)");
  b.work("kernel", "h", 80, 20, 3, R"("blocks per SM": 0.5)");
  EXPECT_DOUBLE_EQ(figures_of(b).devices.at(0).sm_efficiency_estimate.value(), 0.7) << "as the utilization";
}

TEST(Figures, TabulatesKernelsAndWeighsEstimates) {
  Builder b;
  b.work("kernel", "void f<int>(int)", 0, 10, 1, R"("est. achieved occupancy %": 50, "blocks per SM": 0.5)");
  b.work("kernel", "void f<float>(float)", 10, 30, 2, R"("est. achieved occupancy %": 90, "blocks per SM": 4.0)");
  b.work("kernel", "void f<int>(int)", 90, 10, 3, R"("est. achieved occupancy %": N/A, "blocks per SM": NaN)");
  const TraceFigures f = figures_of(b);
  const DeviceFigures& d = f.devices.at(0);
  ASSERT_EQ(d.kernels.size(), 2U);
  EXPECT_EQ(d.kernels[0].name, "void f<float>(float)");
  EXPECT_EQ(d.kernels[1].count, 2U);
  EXPECT_EQ(d.kernels[1].total, 20'000);
  EXPECT_DOUBLE_EQ(d.kernels[0].share, 0.6);
  ASSERT_EQ(d.short_kernels.size(), 1U);
  EXPECT_EQ(d.short_kernels[0].name, "f");
  EXPECT_EQ(d.short_kernels[0].max, 30'000);
  EXPECT_DOUBLE_EQ(d.occupancy_estimate.value(), (10 * 50 + 30 * 90) / 40.0);
  EXPECT_DOUBLE_EQ(d.sm_efficiency_estimate.value(), (10 * 0.5 + 30 * 1.0) / 100.0);
}

TEST(Figures, CountsWhatCannotBeUsed) {
  const std::string text =
      R"([{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":1,"ts":1,"dur":2,"args":{"device":0}},)"
      R"({"ph":"X","cat":"kernel","name":"b","pid":0,"tid":1,"dur":2},)"
      R"({"ph":"X","cat":"kernel","name":"b","pid":0,"tid":1,"ts":"x","dur":2},)"
      R"({"ph":"X","cat":"kernel","name":"b","pid":0,"tid":1,"ts":5,"dur":-2},)"
      R"({"ph":"X","cat":"kernel","name":"b "c" d","pid":0,"tid":1,"ts":5,"dur":2},)"
      R"({"ph":"X","cat":"kernel","name":"c","pid":3,"tid":1,"ts":"5.5"}])";
  const auto source = memory_source(text);
  auto data = read_trace(*source, {});
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ(data->reading.events, 6U);
  EXPECT_EQ(data->reading.refused.no_time, 3U);
  EXPECT_EQ(data->reading.refused.malformed, 1U);
  const auto figures = analyse(*data, {});
  ASSERT_EQ(figures.devices.size(), 2U);
  EXPECT_EQ(figures.devices[1].device, "3");
  EXPECT_EQ(figures.devices[1].start, 5'500);
}

TEST(Figures, TimelineSumsToBusy) {
  Builder b;
  for (int i = 0; i < 50; ++i) b.work("kernel", i % 3 == 0 ? "nccl" : "a", i * 17, 9, i + 1);
  const TraceFigures f = figures_of(b, {.timeline_slices = 13});
  const DeviceFigures& d = f.devices.at(0);
  double busy = 0;
  Nanoseconds from = d.start;
  for (const TimelinePoint& p : d.timeline) {
    busy += p.utilization * static_cast<double>(std::min(d.timeline_slice, d.end - from));
    from += d.timeline_slice;
  }
  EXPECT_NEAR(busy, static_cast<double>(d.parts.busy), 1e-3);
}

}  // namespace
}  // namespace tally::trace
