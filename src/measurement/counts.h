/// Computes a statement's cost from raw totals of events, and whether its replicates agree.
///
/// Owns: the `Counts` of a record. Never runs or reads anything. Events are counts; every "per iteration" figure is for
/// one execution of the statement, the empty loop taken off.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tally {

/// The range of a case's count over deliberate, harmless changes of layout: what a comparison must exceed.
struct NoiseFloor {
  double low = 0;                                       ///< Instructions per iteration.
  double high = 0;                                      ///< Instructions per iteration.
  std::vector<std::pair<std::string, double>> samples;  ///< "hash_seed=1" → instructions per iteration, in run order.
  friend bool operator==(const NoiseFloor&, const NoiseFloor&) = default;
};

/// Of which processes replicates are.
inline constexpr std::string_view kOneProcess = "one process";
inline constexpr std::string_view kTwoProcesses = "two processes";

struct Counts {
  double per_iteration = 0;                        ///< (median(replicates) − baseline) / iterations.
  std::vector<std::uint64_t> replicates;           ///< Raw instructions of `iterations` executions each.
  double baseline = 0;                             ///< Median of baseline_replicates.
  std::vector<std::uint64_t> baseline_replicates;  ///< The same loop with an empty body.
  std::uint64_t iterations = 0;
  /// Instructions that one execution took before, where the number of executions was chosen by it; the loop's own are
  /// in it. Empty: the number is the usual one, or somebody requested it.
  std::optional<double> one_execution;
  double spread = 0;  ///< (max − min) / median of the raw replicates.
  /// What the replicates prove: kOneProcess (they are forks of one), kTwoProcesses. Empty: not known.
  std::optional<std::string> proven;
  std::optional<NoiseFloor> floor;
  std::optional<double> denoised;                      ///< Instructions per iteration without known interpreter noise.
  std::vector<std::pair<std::string, double>> events;  ///< Per iteration, in Callgrind's order, "Ir" among them.
  std::optional<double> estimated_cycles;              ///< Per iteration; see estimated_cycles().
  /// Per iteration, of per_iteration: those that only repeat a string instruction, which a processor counts once
  /// (profile/callgrind.h). Empty: there are none.
  std::optional<double> string_repetitions;
  std::optional<double> allocations;              ///< Per iteration.
  std::optional<double> allocated_bytes;          ///< Per iteration.
  std::optional<double> heap_peak;                ///< Bytes that it holds at once, of what it allocated itself.
  std::optional<std::vector<double>> per_thread;  ///< Of a team, in the order of its threads; see counts_by_thread().
  friend bool operator==(const Counts&, const Counts&) = default;
};

/// Raw totals as Callgrind gives them: one row for each replicate, one column for each event; "Ir" must be an event.
struct CountSamples {
  std::uint64_t iterations = 1;
  std::vector<std::string> events;
  std::vector<std::vector<std::uint64_t>> replicates;
  std::vector<std::vector<std::uint64_t>> baseline;
  std::uint64_t one_execution = 0;  ///< 0: not known.
};

/// A column that is no event: repetitions of string instructions (profile/callgrind.h).
inline constexpr std::string_view kStringRepetitions = "string_repetitions";

/// Rows that are shorter than `events` count 0 for the rest.
Counts summarize_counts(const CountSamples& samples);

/// Replicates agree when they are within either tolerance: for cheap statements a relative one says little.
struct CountTolerance {
  double relative = 0.001;
  double instructions_per_iteration = 5;
};
bool replicates_agree(std::span<const std::uint64_t> replicates, std::uint64_t iterations,
                      CountTolerance tolerance = {});

/// What each thread of a team executes for one iteration. Of `alone`, whose rows are those of the threads: replicates
/// and empty loops in which one was counted alone.
std::vector<double> counts_by_thread(const CountSamples& alone);

/// Whether the threads' figures add up to the whole, within 0.01 % or an instruction per iteration. Alone, each was
/// counted in an execution of its own: threads that take their work from a queue were 0.35 and 0.46 % off, four that
/// wait for one mutex 0.003 %, and those that leave each other alone add up to the instruction.
bool adds_up(std::span<const double> by_thread, const Counts& whole);

/// (max − min) / median; 0 for fewer than two values or a median of 0.
double relative_spread(std::span<const std::uint64_t> values);

/// Forked replicates start from one state, so two identical ones prove that the count repeats; else continue to `most`.
bool needs_more_replicates(std::span<const std::uint64_t> replicates, int least, int most);

/// Ir + 10 · (L1 misses) + 100 · (last-level misses) + 10 · (branch mispredictions), the weights KCachegrind shows as
/// "Cycle Estimation". Empty unless caches or branches were simulated.
std::optional<double> estimated_cycles(std::span<const std::pair<std::string, double>> events);

/// True when nothing is left of a statement: less than half an instruction per iteration.
bool looks_optimised_away(const Counts& counts);

/// Most of a case are repetitions of string instructions, each of which a processor counts once.
bool is_mostly_repetitions(const Counts& counts);

/// The floor of a case from counts under perturbations. `base` is the undisturbed count, which belongs to the range.
NoiseFloor noise_floor(double base, std::vector<std::pair<std::string, double>> samples);

}  // namespace tally
