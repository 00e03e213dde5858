/// From a profiler's trace of some executions to what a device does in one of them.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "measurement/device_times.h"

namespace tally {

/// An error where the trace cannot be read, where something is missing in it, or where it cannot be true: then no
/// figure stands.
Result<DeviceWork> device_work(std::string_view trace_text, std::uint64_t executions);

}  // namespace tally
