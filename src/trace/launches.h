/// Which call launched which work, how long that took, and how much waited.
#pragma once

#include <cstdint>

#include "trace/column.h"
#include "trace/device_work.h"
#include "trace/figures.h"

namespace tally::trace {

/// Sorts data.calls by correlation and finds each work's call: the last with its correlation id that began no later
/// than the work, or the first one when all began later (clocks of host and device differ by a little).
Column<std::uint32_t> link_calls(TraceData& data);

void fill_launches(const TraceData& data, const DeviceWork& work, DeviceFigures& out);

}  // namespace tally::trace
