#include "timed_blocks.h"

#include <algorithm>
#include <utility>

namespace tally::host {

using protocol::Field;

namespace {

constexpr std::uint64_t kColdBlock = 50'000'000;  // ns; a longer block is not worth a second one

/// The next number of iterations on the way to a block of `block_ns`: at most ten times more, aiming a little beyond.
std::uint64_t grow(std::uint64_t iterations, double elapsed_ns, std::uint64_t block_ns) {
  const double factor = 1.2 * static_cast<double>(block_ns) / (std::max(elapsed_ns, 0.0) + 1);
  const double bounded = factor > 10 ? 10 : factor;
  const auto grown = static_cast<std::uint64_t>(static_cast<double>(iterations) * bounded);
  return grown > iterations ? grown : iterations + 1;
}

}  // namespace

std::uint64_t TimedBlocks::request(const protocol::Message& command, std::uint64_t fixed) {
  const std::uint64_t iterations = fixed > 0 ? fixed : command.number(Field::iterations, 0);
  block_ns_ = iterations == 0 ? command.number(Field::block_ns, 1'000'000) : 0;
  budget_ns_ = command.number(Field::budget_ns, 0);
  least_samples_ = command.number(Field::least_samples, 0);
  return std::max<std::uint64_t>(iterations, 1);
}

void TimedBlocks::begin_region() {
  spent_ns_ = 0;
  warm_ = false;
}

bool TimedBlocks::is_sample(double elapsed_ns, std::uint64_t lasted_ns, std::uint64_t& iterations,
                            std::uint32_t (*page_faults)()) {
  spent_ns_ += lasted_ns;
  if (block_ns_ > 0 && finds_number(elapsed_ns, lasted_ns, iterations)) return false;
  if (warm_ || elapsed_ns >= static_cast<double>(budget_ns_)) return true;
  settle(page_faults);
  return false;
}

/// Whether that was all that the block was for.
bool TimedBlocks::finds_number(double elapsed_ns, std::uint64_t lasted_ns, std::uint64_t& iterations) {
  // Where nearly all of it is paused, no number of executions would do.
  const bool long_enough = elapsed_ns >= static_cast<double>(block_ns_) || lasted_ns >= kMostPaused * block_ns_;
  if (!long_enough) {
    iterations = grow(iterations, elapsed_ns, block_ns_);
    return true;
  }
  // The first block of a child pays for its page faults, 12 µs natively and more with torch: one iteration of
  // `x += 1` then passed for a block of 10 µs, and every sample came out as 0.
  if (!warm_ && elapsed_ns < static_cast<double>(kColdBlock)) {
    warm_ = true;
    return true;
  }
  block_ns_ = 0;
  if (budget_ns_ == 0) return false;
  begin_region();
  return true;
}

/// A forked child copies each page that it writes for the first time. What it does until a block has come across no
/// such page is not sampled, for a quarter of its time at the most, and a twentieth at the least: by then blocks last
/// 0.2 % longer than later ones, in the first quarter of a millisecond 0.5 % (medians of the standard suite).
void TimedBlocks::settle(std::uint32_t (*page_faults)()) {
  const std::uint32_t faults_before = std::exchange(faults_, page_faults());
  const bool settled = faults_ == faults_before && spent_ns_ >= budget_ns_ / 20;
  if (!settled && spent_ns_ < budget_ns_ / 4) return;
  warm_ = true;
  spent_ns_ = 0;
}

}  // namespace tally::host
