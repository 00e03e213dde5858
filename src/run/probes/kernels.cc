/// What a device does of a case that works on one: the profiler that the toolchain has (`device_observer`) writes a
/// trace of a region, in native hosts of its own, and src/trace reads it. Kernels are counted, and their time is added
/// up.
#include "run/probes/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <unordered_set>
#include <utility>

#include "run/probes/table.h"
#include "trace/analyse.h"
#include "trace/figures.h"
#include "trace/read_trace.h"

namespace tally {

namespace {

constexpr double kNanosecond = 1e-9;

bool is_launch(const trace::Row& call) {
  return call.call() == trace::CallKind::launch || call.call() == trace::CallKind::graph_launch;
}

/// Whether its work must be in the trace. A copy or a fill of no bytes gives the device none (cuDNN's first convolution
/// of a training step on an H100 calls cudaMemsetAsync for nothing), and a function of the host's is no work.
bool must_give_work(const trace::TraceData& data, const trace::Row& call) {
  if (call.call() != trace::CallKind::launch) return is_launch(call);
  if (call.name == trace::kOtherName) return true;
  const std::string_view name = data.call_names.text(call.name);
  return name.contains("Launch") && !name.contains("HostFunc");
}

/// Launches of which no work is in the trace: the profiler has lost some, or the device has not done it.
struct Launches {
  std::uint64_t all = 0;
  std::uint64_t lost = 0;
};
Launches launches_that_must_give_work(const trace::TraceData& data) {
  std::unordered_set<std::uint32_t> worked;
  for (const trace::Row& work : data.work.span()) worked.insert(work.correlation);
  Launches found;
  for (const trace::Row& call : data.calls.span()) {
    if (!must_give_work(data, call)) continue;
    ++found.all;
    if (!worked.contains(call.correlation)) ++found.lost;
  }
  return found;
}

/// Half the width of the 95 % interval of all kernels' time in one execution: each is a draw from those of its name.
double reach_of(const trace::TraceData& data, double executions) {
  struct Sums {
    double count = 0, sum = 0, square = 0;
  };
  std::map<std::uint32_t, Sums> by_name;
  for (const trace::Row& work : data.work.span()) {
    if (work.work() != trace::Work::compute && work.work() != trace::Work::communication) continue;
    Sums& sums = by_name[work.name];
    const double seconds = static_cast<double>(work.duration) * kNanosecond;
    sums.count += 1;
    sums.sum += seconds;
    sums.square += seconds * seconds;
  }
  double variance = 0;
  for (const auto& [name, sums] : by_name) {
    if (sums.count > 1)
      variance += std::max(sums.square - sums.sum * sums.sum / sums.count, 0.0) * sums.count / (sums.count - 1);
  }
  constexpr double kNormal95 = 1.96;
  return kNormal95 * std::sqrt(variance) / executions;
}

/// Nothing where one is called otherwise.
std::optional<std::vector<std::uint32_t>> numbers_of(const std::vector<trace::DeviceFigures>& devices) {
  std::vector<std::uint32_t> numbers;
  for (const trace::DeviceFigures& device : devices) {
    std::uint32_t number = 0;
    const char* const end = device.device.data() + device.device.size();
    const auto read = std::from_chars(device.device.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

Result<DeviceWork> device_work(std::string_view trace_text, std::uint64_t executions) {
  const auto source = trace::memory_source(trace_text);
  auto data = trace::read_trace(*source, {.threads = 1});
  if (!data) return std::unexpected(data.error());
  if (data->reading.truncated || data->reading.refused.total() > 0)
    return fail(ErrorKind::failed, "the profiler's trace is damaged");
  if (const Launches launches = launches_that_must_give_work(*data); launches.lost > 0) {
    return fail(ErrorKind::failed,
                fmt::format("the profiler dropped some: of {} launches, {} have no work", launches.all, launches.lost));
  }
  const auto each = static_cast<double>(executions);
  DeviceWork work{.executions = executions,
                  .launches = static_cast<double>(std::ranges::count_if(data->calls.span(), is_launch)) / each};
  const double reach = reach_of(*data, each);
  double window_s = 0;
  double idle_s = 0;
  const trace::TraceFigures figures = trace::analyse(*data, {});
  work.devices = numbers_of(figures.devices);
  for (const trace::DeviceFigures& device : figures.devices) {
    if (device.doubts.any())
      return fail(ErrorKind::failed, "the profiler's trace cannot be true (tally trace says why)");
    window_s += static_cast<double>(device.end - device.start) * kNanosecond;
    idle_s += static_cast<double>(device.parts.idle) * kNanosecond;
    for (const trace::KernelRow& kernel : device.kernels) {
      DeviceKernel one{.name = kernel.name,
                       .count = static_cast<double>(kernel.count) / each,
                       .time_s = static_cast<double>(kernel.total) * kNanosecond / each};
      work.kernels += one.count;
      work.kernel_time_s += one.time_s;
      work.by_name.push_back(std::move(one));
    }
  }
  work.kernel_time_interval_s = {.low = work.kernel_time_s - reach, .high = work.kernel_time_s + reach};
  work.copies =
      static_cast<double>(std::ranges::count_if(
          data->work.span(),
          [](const trace::Row& row) { return row.work() == trace::Work::copy || row.work() == trace::Work::fill; })) /
      each;
  if (window_s > 0) work.idle_share = idle_s / window_s;
  std::ranges::sort(work.by_name, {}, [](const DeviceKernel& one) { return std::pair(-one.time_s, one.name); });
  return work;
}

namespace probes {

namespace {

constexpr ProbeHost kTracedHost{
    .description = "with a profiler",
    .folder_variable = "TALLY_DEVICE_TRACE",
};

Status keep_kernels(const ProbeSample& found, ProbeContext& context) {
  const RegionCounted& region = found.statement.front();
  if (!context.record.on_device) return fail(ErrorKind::failed, "the profiled process has worked on no device");
  if (region.left.empty()) return fail(ErrorKind::failed, "the toolchain's device_observer has left no trace");
  if (context.keeps_traces && !context.folder.empty()) {
    if (auto kept = context.keep_file(kKernels.suffix, region.left); !kept) return kept;
  }
  auto work = device_work(region.left, region.iterations);
  if (!work) return std::unexpected(work.error());
  // Nothing is written over between the executions that are traced.
  if (context.record.on_device->flush) work->cache = "warm";
  context.record.on_device->work = *std::move(work);
  return {};
}

}  // namespace

constinit const KeptProbe kKernels = {
    .probe = {.name = "kernels",
              .activity = "tracing what the device does of",
              .unknown = "what the device does of it is not known",
              .is_counted = false,
              .applies = [](const Case& one,
                            const Toolchain& toolchain) { return !toolchain.device.observer.in(one.language).empty(); },
              .host = &kTracedHost,
              .file_ending = ".trace.json",
              .next = statement_once},
    .asked = KeptProbe::Asked::on_device,
    .field = "device_traces",
    .option = "--keep-traces",
    .help = "For --profiles: keep the profiler's trace of each case on a device, for tally trace",
    .suffix = ".trace.json",
    .keep = keep_kernels,
};

}  // namespace probes

}  // namespace tally
