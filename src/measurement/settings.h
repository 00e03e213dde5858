/// How a run measures: what a command line or a request sets, execution follows and a record keeps. Plain data; what a
/// run finds out beside them is RecordedSettings (record/record.h).
///
/// What a benchmark says of its own cases (definition/settings.h) comes first. Which compiler, interpreter or
/// environment command was requested is not among them: a record is data of others, and nothing in it is ever run.
/// Counts are comparable only where iterations, cache_sim, branch_sim and isolation are equal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tally {

/// Of how cases are counted: where it differs, the same code may read another count. Each change is a commit that says
/// which counts moved, and by how much; docs/reference/record.md has the list.
inline constexpr int kCountingVersion = 10;

/// Executions in one counted replicate, where nobody says how many. Of a program's own benchmark, fewer where it is too
/// heavy (protocol/instruction_budget.h).
inline constexpr std::uint64_t kUsualIterations = 100;

struct Settings {
  bool counts = true;
  bool wall = true;
  std::optional<std::uint64_t> iterations;  ///< Exactly so many in one counted replicate; else the usual number. Each
                                            ///< case states its own in counts.iterations.
  int replicates = 2;                       ///< The least number; two identical ones prove that the count repeats.
  int max_replicates = 5;                   ///< Where they differ.
  bool cache_sim = false;
  bool branch_sim = false;
  int call_context = 0;            ///< Callers that profiles keep apart: Callgrind's --separate-callers.
  std::string isolation = "fork";  ///< "fork": a child of a warm host for each case; "process": a fresh host.
  bool noise_floor = false;        ///< Count each case under the standard perturbations, too.
  double min_run_time_s = 0.065;   ///< Of samples, over all turns of timing.
  double max_run_time_s = 0.5;     ///< Of all that timing takes, its forks included.
  double precision = 0.01;         ///< Timing ends when the 95 % interval is within this.
  std::optional<std::uint64_t> number_per_run;  ///< Executions in one timed sample: one child then takes samples for
                                                ///< min_run_time_s, one at the least. Else as many as the clock needs.
  bool interleave = false;                      ///< The times of all cases are taken in turns.
  int repeat = 1;                               ///< Passes over the suite; their samples are pooled.
  std::optional<double> timeout_s;       ///< For one measurement of a case; else 60 s for times and 300 s for counts.
  std::optional<double> host_timeout_s;  ///< For a host to start (else 120 s) and to begin a case (else 20 s).
  std::optional<double> max_wait_s;      ///< That times may wait for others' CPUs at a time; else as long as it takes.
  std::optional<std::uint64_t> memory_bytes;  ///< That a case may use; else as much as there is.
  std::optional<int> retries;                 ///< Else one after a timeout, two after a lost host.
  std::optional<std::string> entropy;         ///< Who answers cases that ask for randomness: "fixed" (tally does, the
                                              ///< same in each run) or "system"; a run says which.
  std::optional<std::string> time_of_day;  ///< What counted cases read of it: "fixed" (the same in each run), or else
                                           ///< "system".
  std::vector<std::string> kept_environment;  ///< Names and globs that cases see besides the usual ones.
  friend bool operator==(const Settings&, const Settings&) = default;
};

/// What a run measures by, and its record says: a greatest number is no less than its least one, there is no noise
/// floor without counts, and who answers for randomness is set. The side that measures calls this; no other side
/// derives.
Settings normalized(Settings settings);

}  // namespace tally
