/// Traces as one page: a timeline of each, utilization, idle time by cause, kernels; and what changed between two.
///
/// Pure. Needs no network and opens from file://. Events are packed (see packed.h): a million of them are a page of
/// some 8 MB. Of a trace that has more than `kTimelineEvents` the page says how many it does not draw.
#pragma once

#include <span>
#include <string>

#include "report/trace/report.h"
#include "trace/diff.h"

namespace tally::report {

inline constexpr std::size_t kTimelineEvents = 1'000'000;

/// Of traces whose figures have a timeline. `changes` may be empty; `title` is shown on top.
std::string render_trace_page(std::span<const trace::TraceResult> traces, std::span<const trace::DeviceChange> changes,
                              const TraceTextOptions& options, const std::string& title);

}  // namespace tally::report
