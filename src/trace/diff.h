/// What changed between two traces: the windows' parts, device by device, and the kernels that made the difference.
///
/// Pure. Devices are matched by label where both traces have it, otherwise in order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/figures.h"

namespace tally::trace {

struct KernelChange {
  std::string name;  ///< Short name.
  std::uint64_t count_before = 0, count_after = 0;
  Nanoseconds before = 0, after = 0;  ///< Total time; 0 with a count of 0 is "not there".
};

struct DeviceChange {
  std::string before, after;  ///< Labels; empty where the device is missing.
  Parts parts_before, parts_after;
  std::vector<KernelChange> kernels;  ///< Largest change of total time first; unchanged ones left out.
};

std::vector<DeviceChange> diff(const TraceFigures& before, const TraceFigures& after);

}  // namespace tally::trace
