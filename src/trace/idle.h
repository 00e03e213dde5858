/// Why a device did nothing.
#pragma once

#include <cstdint>
#include <span>

#include "trace/column.h"
#include "trace/device_work.h"
#include "trace/figures.h"

namespace tally::trace {

/// Indices of synchronising calls, by thread and start.
Column<std::uint32_t> synchronising_calls(const TraceData& data);

/// `gaps`: the longest are kept, too.
void fill_idle(const TraceData& data, const DeviceWork& work, std::span<const std::uint32_t> waits, bool gaps,
               DeviceFigures& out);

}  // namespace tally::trace
