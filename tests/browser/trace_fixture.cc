#include "trace_fixture.h"

#include <fmt/format.h>

#include <array>

#include "base/files.h"
#include "report/trace/page.h"
#include "trace/analyse.h"
#include "trace/diff.h"
#include "trace/read_trace.h"

namespace tally {
namespace {

class Events {
 public:
  void work(const char* name, int stream, int start, int length, int correlation) {
    add(name, stream == 9 ? "gpu_memcpy" : "kernel", stream, start, length,
        fmt::format(R"("device": 0, "stream": {}, "correlation": {})", stream, correlation));
  }
  void call(const char* name, int start, int length, int correlation) {
    add(name, "cuda_runtime", 1, start, length, fmt::format(R"("correlation": {})", correlation));
  }
  void op(const char* name, int start, int length) { add(name, "cpu_op", 1, start, length, ""); }
  [[nodiscard]] std::string text() const { return "[" + text_ + "]"; }

 private:
  void add(const char* name, const char* category, int thread, int start, int length, const std::string& more) {
    text_ += fmt::format(R"({}{{"ph":"X","cat":"{}","name":"{}","pid":0,"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                         text_.empty() ? "" : ",", category, name, thread, start, length, more);
  }
  std::string text_;
};

constexpr const char* kEvil = "<img src=x onerror=document.title='pwned'>";

trace::TraceResult traced(const Events& events, const char* path) {
  const std::string text = events.text();
  auto data = trace::read_trace(*trace::memory_source(text), {.operators = true}).value();
  auto figures = trace::analyse(data, {.timeline_events = report::kTimelineEvents});
  return {path, std::move(data.reading), std::move(figures)};
}

/// Launches at 0 and 200 µs; the second one waits for the device before.
trace::TraceResult rank(const char* path, int slow) {
  Events events;
  events.op("aten::linear", 0, 30);
  events.op("aten::addmm", 0, 8);
  events.call("cudaLaunchKernel", 0, 5, 1);
  events.work("gemm_kernel", 7, 20, 60 + slow, 1);
  events.call("cudaMemcpyAsync", 10, 5, 2);
  events.work("Memcpy HtoD", 9, 90 + slow, 30, 2);
  events.call("cudaDeviceSynchronize", 60, 120, 3);
  events.call("cudaLaunchKernel", 100, 10, 5);
  events.call("cudaLaunchKernel", 200, 5, 4);
  events.work(kEvil, 7, 220, 40, 4);
  return traced(events, path);
}

}  // namespace

bool write_trace_pages(const std::string& folder, int many) {
  const std::array one = {rank("/runs/rank0.json", 0)};
  const std::array two = {rank("/runs/rank0.json", 0), rank("/runs/rank1.json", 25)};
  const auto changes = trace::diff(two[0].figures, two[1].figures);
  Events events;
  for (int i = 0; i < many; ++i) {
    events.call("cudaLaunchKernel", i * 10, 3, i + 1);
    events.work(i % 3 == 0 ? "gemm_kernel" : "elementwise_kernel", 7, i * 10 + 4, 3 + (i * 7919) % 5, i + 1);
  }
  const std::array large = {traced(events, "/runs/many.json")};
  const auto write = [&](const std::string& name, const std::string& page) {
    return write_file(folder + "/" + name, page).has_value();
  };
  return write("trace.html", report::render_trace_page(one, {}, {}, "rank0.json")) &&
         write("ranks.html", report::render_trace_page(two, {}, {}, "2 traces")) &&
         write("changed.html", report::render_trace_page(two, changes, {}, "rank0.json → rank1.json")) &&
         write("many.html", report::render_trace_page(large, {}, {}, "many.json"));
}

}  // namespace tally
