/// Describes how a device's work for a case changed: its kernels by name, in words. Pure.
#pragma once

#include <string>
#include <vector>

#include "comparison/count_change.h"
#include "record/record.h"

namespace tally {

/// Kernels are counted exactly: any other number is a change.
bool kernels_changed(const DeviceWork& before, const DeviceWork& after);

/// "kernels 7 → 9 for one execution: 2 more of elementwise_kernel<…>, 60 % of the difference in time". The names whose
/// time changed most, at most three. Empty where their numbers are the same.
std::string describe_kernel_change(const DeviceWork& before, const DeviceWork& after);

/// Why times of the two cannot be compared: the device's cache was written over in one of them alone. Empty where
/// nothing speaks against it.
std::string why_device_times_refused(const OnDevice& before, const OnDevice& after);

/// "cuda.matmul.allow_tf32: True → False": settings of the two processes, as both report them.
std::vector<std::string> changed_settings(const OnDevice& before, const OnDevice& after);

/// Of so many kernels for one execution: another number is a change, whatever its size.
CountChange kernels_change(double before, double after);

}  // namespace tally
