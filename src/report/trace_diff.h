/// What changed between two traces: the windows' parts, device by device, and the kernels that made the difference.
///
/// Pure. Devices are matched by label where both traces have it, otherwise in order.
#pragma once

#include <string>
#include <vector>

#include "report/trace_json.h"
#include "report/trace_report.h"

namespace tally::report {

struct KernelChange {
  std::string name;  ///< Short name.
  std::uint64_t count_before = 0, count_after = 0;
  trace::Nanoseconds before = 0, after = 0;  ///< Total time; 0 with a count of 0 is "not there".
};

struct DeviceChange {
  std::string before, after;  ///< Labels; empty where the device is missing.
  trace::Parts parts_before, parts_after;
  std::vector<KernelChange> kernels;  ///< Largest change of total time first; unchanged ones left out.
};

std::vector<DeviceChange> diff_traces(const TraceResult& before, const TraceResult& after);
std::string render_trace_diff(const std::vector<DeviceChange>& changes, const TraceTextOptions& options);
json::Object trace_diff_json(const std::vector<DeviceChange>& changes, std::size_t kernels);

}  // namespace tally::report
