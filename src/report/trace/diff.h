/// What changed between two traces, as text and as JSON.
#pragma once

#include <span>
#include <string>

#include "json/value.h"
#include "report/trace/report.h"
#include "trace/diff.h"

namespace tally::report {

std::string render_trace_diff(std::span<const trace::DeviceChange> changes, const TraceTextOptions& options);

/// At most so many kernels of each device; 0 is all.
json::Object trace_diff_json(std::span<const trace::DeviceChange> changes, std::size_t kernels);

}  // namespace tally::report
