/// CPython's arenas (1 MiB each, 256 KiB before 3.10), out of which it gives blocks of up to 512 bytes: 9,000 pages of
/// Python with torch, which a fork copies the page table of and most of which a case never writes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tally::host {

/// From here on each arena that CPython takes is memory for share_written_memory() too. Not under Valgrind: a region
/// that takes an arena would count what is done here.
void share_arenas();

/// After fill_pools_above(), which has left no free block in a pool of `size` bytes below `floor`: none will be free
/// there again. A block that is given back stays with its pool, which CPython no longer finds.
void fence_pools_below(std::uintptr_t floor, std::size_t size);

}  // namespace tally::host
