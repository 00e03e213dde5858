/// How a device's time divides: as a whole, by step, and in slices of its window.
#pragma once

#include <cstddef>

#include "trace/device_work.h"
#include "trace/figures.h"

namespace tally::trace {

struct PartsOptions {
  bool steps = true;
  std::size_t slices = 200;
};

void fill_parts(const TraceData& data, const DeviceWork& work, const PartsOptions& options, DeviceFigures& out);

}  // namespace tally::trace
