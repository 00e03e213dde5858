/// What a replicate tells its case child: memory that both see, mapped once by the host before it forks.
///
/// A replicate cannot answer on the case's socket (two writers), and its exit status alone does not tell a finished
/// region from a statement that called exit(0).
#pragma once

#include <cstdint>

namespace tally::host {

struct SharedPage {
  static constexpr std::uint32_t kMaxSamples = 8192;

  std::uint32_t done;    ///< 1 when the region ran to its end.
  std::uint32_t failed;  ///< 1 when the replicate has sent a failure itself.
  std::uint32_t dump;    ///< The number of the region's dump.
  std::uint64_t iterations;
  std::uint64_t allocations;
  std::uint64_t allocated_bytes;
  std::uint32_t sample_count;
  double samples[kMaxSamples];  ///< Seconds for each block.
};

/// The page of this process and its forks. Every case child maps a new one, at the same address, with
/// renew_shared_page().
SharedPage& shared_page();
void renew_shared_page();

}  // namespace tally::host
