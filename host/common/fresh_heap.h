/// Fills the holes that a host's start leaves in its heaps, so that every case allocates from fresh memory.
///
/// Which hole an allocation of the measured statement falls into moves its count, through bin searches, splits and
/// alignment: a dict by 0.2 % between two values of PATH, whose length moved all that the interpreter's start
/// allocated. What fills the holes is kept until the host ends, as is all that is tried when a heap is of another make:
/// both stop at 256 MiB (of addresses: hardly any of it is touched).
#pragma once

#include <cstddef>
#include <cstdint>

namespace tally::host {

/// The name of the file whose malloc serves this process where it is not the C library's or not laid out as glibc's is
/// (jemalloc, preloaded); null where its heap is what fill_malloc() reads. Asked once; lives as long as the process.
const char* other_allocator();

/// The C library's main heap: no free chunk is left but the top, which starts at a multiple of 1 MiB: whatever hashes
/// pointers then sees the same ones after a start that took a little more or less. Under Valgrind a heap grows to 8 MiB
/// and then in pieces of 1 MiB wherever they are mapped; such a heap is used up to its last piece's end. Does nothing
/// to another allocator's.
void fill_malloc();

/// CPython's allocator of blocks of up to 512 bytes, out of pools of `pool` bytes, 64 to an arena: no older arena has a
/// free pool, all older pools are full, and every size has one block in a fresh pool.
void fill_pools(void* (*allocate)(std::size_t), std::size_t pool);

/// The same once the pools that fill_pools() left at the front have been pushed back: an object that was there before,
/// freed later, puts its own pool in front, with one free block, which each object that is made and freed then takes
/// from the list of pools and puts back (4 to 5 instructions). Fills such pools, and leaves those of the last
/// fill_pools() as they are.
void bring_fresh_pools_to_front(void* (*allocate)(std::size_t), std::size_t pool);

/// Under Valgrind, which maps upwards and into the first gap that is large enough: no gap of 1 MiB is left, and the
/// next mapping of that size or more starts at a multiple of 64 MiB. So neither the size of a snippet's file nor how
/// much an interpreter's start took moves the heap's next piece (LSTM by 0.013 %, a TorchScript LayerNorm by 0.25 %).
void align_mappings();

/// A host's start has stages. Each allocates and maps at its floor or above it, and below the next one's.
/// host/python/tally_start.py has the same numbers. A C++ host has two: it opens its libraries in the first, and serves
/// in that of imports.
enum class StartStage : unsigned {
  surroundings,   ///< What looks at the machine.
  startup_files,  ///< Python: code that runs whenever the interpreter starts (`.pth` files, sitecustomize).
  imports,
  warm_up,
  cases,
  options_read,  ///< A program in Python: its framework knows its options, and has imported nothing of it.
  plugins_loaded,
  configured,    ///< Nothing of this is read any more: the program is imported next.
  first_listed,  ///< Its framework has listed a folder, which may have other files than the program's.
  second_listed,
  third_listed,
  collected,  ///< It has found its benchmarks.
};

constexpr std::uintptr_t floor_of_stage(StartStage stage) {
  constexpr std::uintptr_t kGib = std::uintptr_t{1} << 30U;
  constexpr std::uintptr_t kFloors[] = {4 * kGib,  6 * kGib,  8 * kGib,  12 * kGib, 16 * kGib, 17 * kGib,
                                        18 * kGib, 20 * kGib, 23 * kGib, 26 * kGib, 29 * kGib, 32 * kGib};
  return kFloors[static_cast<unsigned>(stage)];
}

/// Under Valgrind: what is allocated or mapped from here on lies at `floor` or above it, whatever the heaps and the
/// address space below look like. The heap is left as it is and continues in a mapping of its own; no gap is left below
/// `floor`. `floor` is a multiple of 1 MiB, above all that is mapped for the program, and below Valgrind's own.
void leave_memory_below(std::uintptr_t floor);

/// fill_pools() after leave_memory_below(): every block comes from a pool at `floor` or above it.
void fill_pools_above(void* (*allocate)(std::size_t), std::uintptr_t floor);

/// The loader has allocated both of its lists of loaded libraries (glibc's dl_find_object, which has them in turn). It
/// aligns a list to 128 bytes, so how many libraries fit depends on the address that malloc returned, and the size of
/// the next list on how many fit. So a host calls this before it looks at anything that differs between machines.
void settle_loader();

/// The C library has read what it reads of its surroundings once and keeps: where users are listed, the time zone, its
/// conversions. So it does before a heap is left, and not in the midst of what is loaded afterwards. From then on the
/// variable USER, unless there is one, has the first 15 letters of the user's name, or his number. The glog of Debian's
/// PyTorch keeps it in a std::string as it is loaded, and one of more letters takes memory of its own.
void ask_c_library();

/// No library is loaded any more: USER is gone again.
void forget_user();

}  // namespace tally::host
