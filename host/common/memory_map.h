/// What the kernel tells of this process's memory. Allocates nothing: what is read must not move the heap that it is
/// of.
#pragma once

#include <cstdint>
#include <string_view>

namespace tally::host {

/// /proc/self/maps, a line for each mapping: as much of it as 1 MiB holds. Good until the next call.
std::string_view read_maps();

/// Figures of /proc/self/statm, by their places in it.
enum class Memory { resident = 1, data = 5 };  ///< data: what RLIMIT_DATA counts, and the stack.
/// In bytes; 0 where it is not told.
std::uint64_t memory_bytes(Memory which);

}  // namespace tally::host
