#include "trace/analyse.h"

#include <algorithm>
#include <future>
#include <map>

#include "trace/device_work.h"
#include "trace/doubts.h"
#include "trace/idle.h"
#include "trace/kernels.h"
#include "trace/labels.h"
#include "trace/launches.h"
#include "trace/legacy.h"
#include "trace/operators.h"
#include "trace/parts.h"
#include "trace/sweep.h"

namespace tally::trace {
namespace {

void fill_estimates(const Device& device, DeviceFigures& out) {
  const Estimates& e = device.estimates;
  if (e.occupancy_weight > 0) out.occupancy_estimate = e.occupancy_weighted / e.occupancy_weight;
  // Kernels at the same time share the multiprocessors: no sum of theirs is more than the time in which any ran.
  if (e.sm_weight > 0 && out.parts.window > 0)
    out.sm_efficiency_estimate =
        std::min(e.sm_weighted, static_cast<double>(out.parts.busy)) / static_cast<double>(out.parts.window);
  out.copies = device.copies;
}

void fill_streams(const TraceData& data, std::span<const Row> rows, DeviceFigures& out) {
  struct One {
    StreamFigures figures;
    UnionLength busy;
  };
  std::map<std::uint32_t, One> streams;
  for (const Row& row : rows) {
    One& one = streams[row.lane];
    one.busy.add(row.start, row.end());
    const bool memory = row.work() == Work::copy || row.work() == Work::fill;
    ++(memory ? one.figures.memory_events : one.figures.kernels);
  }
  for (auto& [number, one] : streams) {
    one.figures.stream = data.streams[number].label;
    one.figures.busy = one.busy.total();
    out.streams.push_back(std::move(one.figures));
  }
  std::ranges::sort(out.streams, [](const auto& a, const auto& b) { return label_before(a.stream, b.stream); });
}

}  // namespace

TraceFigures analyse(TraceData& data, const AnalyseOptions& options) {
  TraceFigures figures;
  if (data.legacy) figures.legacy = legacy_figures(*data.legacy);
  const auto in_order = [](const Row& a, const Row& b) {
    return a.device != b.device ? a.device < b.device : a.start < b.start;
  };
  if (!std::is_sorted(data.work.begin(), data.work.end(), in_order))
    std::sort(data.work.begin(), data.work.end(), in_order);
  // One after the other on two threads, too: each sorts with as much memory again as what it sorts.
  const Column<std::uint32_t> calls = link_calls(data);
  const Column<std::uint32_t> waits = synchronising_calls(data);
  const Column<OperatorSpan> operators = options.timeline_events > 0 ? shown_operators(data) : Column<OperatorSpan>();
  if (data.operators) prepare(*data.operators);

  const std::span<const Row> all = data.work.span();
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end].device == all[begin].device) ++end;
    const DeviceWork work{all.subspan(begin, end - begin), calls.span().subspan(begin, end - begin)};
    const Device& device = data.devices[all[begin].device];
    DeviceFigures out;
    out.device = device.label;
    // The figures of one thread are no concern of the other's.
    const auto aside = options.threads > 1 ? std::launch::async : std::launch::deferred;
    std::future<void> of_launches = std::async(aside, [&] {
      if (data.operators) fill_operators(data, work, out);
      fill_math_busy(data, work, out);
      fill_launches(data, work, out);
    });
    fill_parts(data, work, {.steps = options.steps, .slices = options.timeline_slices}, out);
    fill_estimates(device, out);
    fill_streams(data, work.rows, out);
    out.doubts = find_doubts(data, work);
    fill_kernels(data, work, out);
    fill_idle(data, work, waits.span(), options.timeline_events > 0, out);
    of_launches.get();
    figures.devices.push_back(std::move(out));
    begin = end;
  }
  if (options.timeline_events > 0)
    figures.timeline = make_timeline(data, calls.span(), operators.span(), options.timeline_events);
  std::ranges::sort(figures.devices, [](const auto& a, const auto& b) { return label_before(a.device, b.device); });
  return figures;
}

}  // namespace tally::trace
