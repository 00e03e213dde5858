/// Huge pages for what a counted host has in memory: a fork copies one entry for each page, and Valgrind's tables with
/// those of a large library are 100,000 of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tally::host {

/// MADV_COLLAPSE, which Debian 12's headers do not have.
inline constexpr int kGatherPages = 25;

/// What gathering costs the hosts with PyTorch, 0.65 s in C++ and 0.96 s in Python, so many forks earn again, by 28 and
/// 50 ms each; those of a host with less memory hardly cost anything.
inline constexpr std::uint64_t kForksWorthGathering = 24;
inline constexpr std::size_t kWorthHugePages = std::size_t{256} * 1024 * 1024;

/// Gathers the anonymous memory of this process, Valgrind's with it, in pages of 2 MiB (madvise(2), MADV_COLLAPSE;
/// Linux 6.1), if so many bytes of it all are resident. Contents and addresses stay; holes are filled. Where the kernel
/// cannot, or has no huge page left, memory stays as it is. Allocates nothing. To be called before the first fork.
void gather_in_huge_pages(std::size_t least_resident = kWorthHugePages);

}  // namespace tally::host
