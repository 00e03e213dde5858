/// One device's rows, from which its figures are made. Sorted by start; ties in file order do not matter: every figure
/// is the same.
#pragma once

#include <cstdint>
#include <span>

#include "trace/trace_data.h"

namespace tally::trace {

struct DeviceWork {
  std::span<const Row> rows;
  std::span<const std::uint32_t> call;  ///< Of the call that launched each, its index in the calls, or kNoCall.
};
inline constexpr std::uint32_t kNoCall = 0xFFFF'FFFF;

}  // namespace tally::trace
