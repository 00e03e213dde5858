/// How a benchmark or a suite wants its cases to be run. Plain data; nothing here knows what the runner's defaults are.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tally {

/// Who answers a case that asks for randomness: we do, the same in each run, or the system.
enum class Entropy : std::uint8_t { fixed, system };
constexpr std::string_view to_string(Entropy entropy) { return entropy == Entropy::fixed ? "fixed" : "system"; }

/// In which state an execution on a device finds its cache: as the one before left it, or written over.
enum class Flush : std::uint8_t { none, l2 };

/// What a benchmark or suite sets about how its cases are run; empty means "not set": the command line or a default
/// decides.
struct CaseSettings {
  std::optional<std::chrono::milliseconds> timeout;
  std::optional<std::uint64_t> iterations;  ///< Executions in one counted replicate.
  std::optional<int> replicates;
  std::optional<std::chrono::milliseconds> min_run_time;  ///< Of timing, at the least.
  std::optional<std::chrono::milliseconds> max_run_time;  ///< Of timing, at the most.
  std::optional<double> precision;  ///< Timing ends when the 95 % interval is within this; 0.01 is 1 %.
  std::optional<std::uint64_t> memory_bytes;
  std::optional<int> retries;  ///< Further attempts after a timeout, and after a lost host.
  std::optional<Entropy> entropy;
  std::optional<Flush> flush;
};

}  // namespace tally
