/// How much memory this machine, or the container that we are in, has and has left.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

namespace tally {

struct MemoryState {
  std::uint64_t total = 0;
  std::uint64_t available = 0;  ///< Without swapping; caches of files can be had.
};

/// From /proc/meminfo, and from the limit of our control group (version 2) where that is tighter. All zero where the
/// kernel does not report it.
MemoryState memory_state();

/// The same of the text of /proc/meminfo.
MemoryState parse_meminfo(std::string_view text);

/// Anonymous memory of one process (heap, stacks, private copies; not files) that is in memory, in bytes.
std::uint64_t resident_anonymous_bytes(pid_t pid);

}  // namespace tally
