/// Describes how a device's work for a case changed: its kernels by name, in words. Pure.
#pragma once

#include <string>

#include "record/record.h"

namespace tally {

/// Kernels are counted exactly: any other number is a change.
bool kernels_changed(const DeviceWork& before, const DeviceWork& after);

/// "kernels 7 → 9 for one execution: 2 more of elementwise_kernel<…>, 60 % of the difference in time". The names whose
/// time changed most, at most three. Empty where their numbers are the same.
std::string describe_kernel_change(const DeviceWork& before, const DeviceWork& after);

}  // namespace tally
