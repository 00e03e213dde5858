/// Fills the holes that a host's start leaves in its heaps, so that every case allocates from fresh memory.
///
/// Which hole an allocation of the measured statement falls into moves its count, through bin searches, splits and
/// alignment: a dict by 0.2 % between two values of PATH, whose length moved all that the interpreter's start
/// allocated. What fills the holes is kept until the host ends, as is all that is tried when a heap is of another make:
/// both stop at 64 MiB.
#pragma once

#include <cstddef>

namespace tally::host {

/// The C library's main heap: no free chunk is left but the top, which starts at a multiple of 1 MiB.
void fill_malloc();

/// CPython's allocator of blocks of up to 512 bytes, out of pools of `pool` bytes, 64 to an arena: no older arena has a
/// free pool, all older pools are full, and every size has one block in a fresh pool.
void fill_pools(void* (*allocate)(std::size_t), std::size_t pool);

}  // namespace tally::host
