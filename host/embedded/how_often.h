/// How often a benchmark is executed before it is counted and in a region: as often as a suite's statement, unless it
/// is too heavy. Found from instructions, never from a clock, and in steps, so that each run takes the same number.
#pragma once

#include <cstdint>

namespace tally::embedded {

/// Instructions that this process has counted so far, all threads together; 0 where nobody counts them. What is not
/// collected is not counted (host/common/callgrind.h).
std::uint64_t counted_so_far();

/// Whether an execution of so many instructions, or fewer, is executed as often as any.
bool is_light(std::uint64_t size);

/// Of a benchmark whose execution takes so many instructions; 1 at the least.
std::uint64_t warm_up_of(std::uint64_t size, std::uint64_t usual);
std::uint64_t executions_of(std::uint64_t size);

}  // namespace tally::embedded
