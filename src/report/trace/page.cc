#include "report/trace/page.h"

#include <algorithm>
#include <vector>

#include "json/text.h"
#include "report/html/packed.h"
#include "report/html/page.h"
#include "report/trace/diff.h"
#include "report/trace/json.h"
#include "web/page_text.h"

namespace tally::report {
namespace {

using json::Array;
using json::Object;
using trace::Nanoseconds;

/// Starts are relative to the one before in the row, and launches too: small numbers pack well. A launch is 0 where
/// none is known, else its event's number and one.
Object events_json(const trace::Timeline& timeline, Nanoseconds base) {
  Array start, launch;
  for (const trace::TimelineRow& row : timeline.rows) {
    Nanoseconds last = base;
    std::int64_t last_launch = 0;
    for (std::size_t i = row.first; i < row.first + row.count; ++i) {
      start.push_back(timeline.start[i] - last);
      last = timeline.start[i];
      const bool known = timeline.launch[i] != trace::Timeline::kNoLaunch;
      const std::int64_t number = known ? static_cast<std::int64_t>(timeline.launch[i]) + 1 : 0;
      launch.push_back(number - last_launch);
      last_launch = number;
    }
  }
  Array kind;
  for (const trace::EventKind one : timeline.kind) kind.push_back(static_cast<int>(one));
  return {{"names", timeline.names}, {"start", std::move(start)}, {"duration", timeline.duration},
          {"name", timeline.name},   {"kind", std::move(kind)},   {"launch", std::move(launch)}};
}

Array gaps_json(const trace::TraceFigures& figures, Nanoseconds base) {
  Array gaps;
  for (const trace::DeviceFigures& device : figures.devices) {
    for (const trace::IdleGap& gap : device.gaps)
      gaps.push_back(Array{device.device, gap.start - base, gap.length, static_cast<int>(gap.cause)});
  }
  return gaps;
}

Object trace_data_json(const trace::TraceResult& result, const TraceTextOptions& options) {
  const trace::Timeline timeline = result.figures.timeline.value_or(trace::Timeline());
  const Nanoseconds base = timeline.start.empty() ? 0 : std::ranges::min(timeline.start);
  Nanoseconds end = base;
  for (std::size_t i = 0; i < timeline.start.size(); ++i) end = std::max(end, timeline.start[i] + timeline.duration[i]);
  Array rows;
  for (const trace::TimelineRow& row : timeline.rows) {
    Object one{{"device", row.device}, {"label", row.label}, {"first", row.first}, {"count", row.count}};
    if (row.operators) one["operators"] = true;
    rows.push_back(std::move(one));
  }
  Array more;  // kernels of each device beyond the table's rows
  for (const trace::DeviceFigures& device : result.figures.devices) {
    const std::size_t all = (options.full_names ? device.kernels : device.short_kernels).size();
    more.push_back(options.kernels == 0 || all <= options.kernels ? 0 : all - options.kernels);
  }
  return {{"path", result.path},
          {"reading", render_reading(result)},
          {"doubts", render_doubts(result.figures)},
          {"figures", trace_json(std::span(&result, 1),
                                 {.kernels = options.kernels, .unprofiled_duration = options.unprofiled_duration})},
          {"rows", std::move(rows)},
          {"more_kernels", std::move(more)},
          {"length_ns", end - base},
          {"left_out", timeline.left_out},
          {"left_out_ns", timeline.left_out_time},
          {"gaps", gaps_json(result.figures, base)},
          {"events", packed(json::to_text(events_json(timeline, base)))}};
}

}  // namespace

std::string render_trace_page(std::span<const trace::TraceResult> traces, std::span<const trace::DeviceChange> changes,
                              const TraceTextOptions& options, const std::string& title) {
  Array all;
  for (const trace::TraceResult& one : traces) all.push_back(trace_data_json(one, options));
  Object data = {{"name", title}, {"traces", std::move(all)}, {"full_names", options.full_names}};
  if (!changes.empty()) data["diff"] = trace_diff_json(changes, options.kernels)["devices"];
  return render_page({.title = title, .css = kTracePageCss, .js = kTracePageJs, .data = std::move(data)});
}

}  // namespace tally::report
