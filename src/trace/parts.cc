#include "trace/parts.h"

#include <algorithm>
#include <limits>
#include <map>

namespace tally::trace {
namespace {

struct Window {
  Nanoseconds from, to;
};

/// One sweep per window; windows are sorted and disjoint, rows sorted by start.
std::vector<Parts> sweep_windows(std::span<const Row> rows, const std::vector<Window>& windows) {
  std::vector<PartsSweep> sweeps(windows.size());
  for (const Row& row : rows) {
    auto at = std::ranges::partition_point(windows, [&](const Window& w) { return w.to <= row.start; });
    for (; at != windows.end() && (at->from < row.end() || (row.duration == 0 && at->from <= row.start)); ++at)
      sweeps[static_cast<std::size_t>(at - windows.begin())].add(row, at->from, at->to);
  }
  std::vector<Parts> parts;
  parts.reserve(windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i) parts.push_back(sweeps[i].finish(windows[i].to - windows[i].from));
  return parts;
}

void add(Parts& sum, const Parts& p) {
  sum.kernels += p.kernels;
  sum.memory_events += p.memory_events;
  sum.window += p.window;
  sum.busy += p.busy;
  sum.compute += p.compute;
  sum.communication += p.communication;
  sum.memory += p.memory;
  sum.exposed_communication += p.exposed_communication;
  sum.exposed_memory += p.exposed_memory;
  sum.idle += p.idle;
  sum.kernel_time += p.kernel_time;
}

void fill_steps(const TraceData& data, const DeviceWork& work, DeviceFigures& out) {
  // Several processes in one file each have steps of their own, which overlap the others'.
  std::map<std::string, std::vector<const Step*>> by_process;
  for (const Step& step : data.steps) by_process[step.process].push_back(&step);
  for (auto& [process, steps] : by_process) {
    std::ranges::sort(steps, [](const Step* a, const Step* b) { return a->start < b->start; });
    std::vector<Window> windows;
    std::vector<const Step*> used;
    for (const Step* step : steps) {
      // Overlapping spans of one process (a step seen twice) would count work twice.
      if (!windows.empty() && step->start < windows.back().to) continue;
      windows.push_back({step->start, step->end});
      used.push_back(step);
    }
    const std::vector<Parts> parts = sweep_windows(work.rows, windows);
    for (std::size_t i = 0; i < used.size(); ++i) {
      out.steps.push_back({used[i]->name, used[i]->start, used[i]->end, parts[i]});
      if (by_process.size() > 1) continue;
      if (!out.steps_parts) out.steps_parts.emplace();
      add(*out.steps_parts, parts[i]);
    }
  }
}

void fill_timeline(const DeviceWork& work, std::size_t slices, DeviceFigures& out) {
  if (slices == 0 || out.parts.window <= 0) return;
  const Nanoseconds count = std::min<Nanoseconds>(static_cast<Nanoseconds>(slices), out.parts.window);
  const Nanoseconds slice = (out.parts.window + count - 1) / count;
  std::vector<Window> windows;
  for (Nanoseconds from = out.start; from < out.end; from += slice)
    windows.push_back({from, std::min(from + slice, out.end)});
  out.timeline_slice = slice;
  for (const Parts& p : sweep_windows(work.rows, windows)) {
    const auto width = static_cast<double>(p.window);
    out.timeline.push_back({static_cast<double>(p.busy) / width, static_cast<double>(p.compute) / width,
                            static_cast<double>(p.exposed_communication) / width,
                            static_cast<double>(p.exposed_memory) / width});
  }
}

}  // namespace

void fill_parts(const TraceData& data, const DeviceWork& work, const PartsOptions& options, DeviceFigures& out) {
  out.start = work.rows.front().start;
  out.end = std::numeric_limits<Nanoseconds>::min();
  for (const Row& row : work.rows) out.end = std::max(out.end, row.end());
  PartsSweep sweep;
  for (const Row& row : work.rows) sweep.add(row, out.start, out.end);
  out.parts = sweep.finish(out.end - out.start);
  if (options.steps) fill_steps(data, work, out);
  fill_timeline(work, options.slices, out);
}

}  // namespace tally::trace
