/// Huge pages for what a counted host has in memory: a fork copies one entry for each page, and Valgrind's tables with
/// those of a large library are 100,000 of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tally::host {

/// MADV_COLLAPSE, which Debian 12's headers do not have.
inline constexpr int kGatherPages = 25;

inline constexpr std::uintptr_t kHugePage = std::uintptr_t{2} * 1024 * 1024;

/// So many cases earn again what gathering costs: 0.6 s of PyTorch's host in Python, where memory that nobody had
/// recently is slow to get (a virtual machine that gives it back: 5 ms for 2 MiB, else 0.6), for 5 ms in the kernel and
/// 4 in translated code of each.
inline constexpr std::uint64_t kCasesWorthGathering = 64;
/// Forks of a process that has less in memory cost too little to be worth it, however many they are.
inline constexpr std::size_t kWorthHugePages = std::size_t{256} * 1024 * 1024;

/// Gathers the anonymous memory of this process, Valgrind's with it, in pages of 2 MiB (madvise(2), MADV_COLLAPSE;
/// Linux 6.1), if so many bytes of it all are resident. Contents and addresses stay; holes are filled. Where the kernel
/// cannot, or has no huge page left, memory stays as it is. Allocates nothing. To be called before the first fork.
void gather_in_huge_pages(std::size_t least_resident = kWorthHugePages);

}  // namespace tally::host
