/// A device's kernels by name.
#pragma once

#include "trace/device_work.h"
#include "trace/figures.h"

namespace tally::trace {

void fill_kernels(const TraceData& data, const DeviceWork& work, DeviceFigures& out);

}  // namespace tally::trace
