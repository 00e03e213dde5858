/// Counts calls of the C allocator in a process, by pointing every loaded object's relocations for it at counting
/// wrappers.
///
/// Where the recorder of allocation sites is preloaded, it counts instead, and is notified of a region's ends.
///
/// Installed only in the one native child that counts allocations, so that no other child pays for it, not even with a
/// branch. Objects opened after install() are not seen; Python's own small-object arenas do not call the C allocator
/// for each object.
#pragma once

#include <cstdint>

namespace tally::host::allocations {

struct Totals {
  std::uint64_t count = 0;  ///< Calls of malloc, calloc, realloc and the aligned variants.
  std::uint64_t bytes = 0;  ///< As requested.
};

/// In the host, before it forks: finds the relocations of what is loaded already, which costs a child 15 ms with
/// libtorch's 280 libraries.
void prepare();

/// In the child that is to count.
void install();
void start();
Totals stop();

}  // namespace tally::host::allocations
