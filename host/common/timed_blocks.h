/// The blocks of a timed region: how many executions are in one, which of them are samples, and when there are enough.
///
/// Knows no clock and sends nothing: what a block took comes in. A region begins with blocks that only find a number of
/// executions, where none is given, and with some that are not sampled.
#pragma once

#include <cstdint>

#include "protocol/frame.h"

namespace tally::host {

class TimedBlocks {
 public:
  /// As a message `time` requests them. Returns how many executions the first block has: `fixed`, where that is not 0.
  std::uint64_t request(const protocol::Message& command, std::uint64_t fixed);
  /// The number of executions is known, of the region before.
  void keep_number() { block_ns_ = 0; }

  void begin_region();

  /// Whether the block that has ended is a sample. It took `elapsed_ns`, and with its pauses `lasted_ns`. Where it was
  /// too short, `iterations` rises. `page_faults` counts those of this process so far, and is called where they matter.
  bool is_sample(double elapsed_ns, std::uint64_t lasted_ns, std::uint64_t& iterations, std::uint32_t (*page_faults)());

  /// What comes before a block, and is not in it, has taken so long. A setup that takes long would be made for as many
  /// blocks as fill the budget: as much of it as with pauses counts as a block's own time.
  void add_preparation(std::uint64_t took_ns) { spent_ns_ += took_ns / kMostPaused; }

  /// After so many samples.
  [[nodiscard]] bool wants_more(std::uint64_t samples) const {
    return spent_ns_ < budget_ns_ || samples < least_samples_;
  }

 private:
  static constexpr std::uint64_t kMostPaused = 20;  ///< As much as the block should last.

  bool finds_number(double elapsed_ns, std::uint64_t lasted_ns, std::uint64_t& iterations);
  void settle(std::uint32_t (*page_faults)());

  std::uint64_t block_ns_ = 0;  ///< How long one is to be; 0: their number of executions is known.
  std::uint64_t budget_ns_ = 0;
  std::uint64_t least_samples_ = 0;
  std::uint64_t spent_ns_ = 0;
  std::uint32_t faults_ = 0;  ///< In pages, until the last block that was not sampled; of these only a change matters.
  bool warm_ = false;         ///< A block of this region was long enough once already.
};

}  // namespace tally::host
