/// What the kernel reports about this process's memory. Allocates nothing: reading about the heap must not move it.
#pragma once

#include <cstdint>
#include <string_view>

namespace tally::host {

/// /proc/self/maps, a line for each mapping: as much of it as 1 MiB holds. Good until the next call.
std::string_view read_maps();

/// One of them.
struct Mapping {
  unsigned long begin = 0;
  unsigned long end = 0;
  unsigned long offset = 0;
  unsigned long inode = 0;  ///< 0: no file's.
  char access[5] = {};      ///< "r-xp"
  bool is_heap = false;     ///< The process's break.

  [[nodiscard]] bool allows(std::string_view what) const { return what == access; }
};

/// Takes the first line off `maps`; false when there is none left.
bool take_mapping(std::string_view& maps, Mapping& mapping);

/// Figures of /proc/self/statm, by their places in it.
enum class Memory { resident = 1, data = 5 };  ///< data: what RLIMIT_DATA counts, and the stack.
/// In bytes; 0 where the kernel does not report it.
std::uint64_t memory_bytes(Memory which);

}  // namespace tally::host
