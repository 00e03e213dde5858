/// Chooses the runs of a history, where its commits were measured in several environments, several times. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tally {

/// A run of a suite that lies on the line. Its texts are the caller's.
struct PlacedRun {
  std::size_t run = 0;    ///< The caller's number of it.
  std::size_t place = 0;  ///< Of its commit, on the line.
  std::string_view environment;
  std::string_view started;  ///< ISO 8601, UTC.
};

struct ChosenRuns {
  std::vector<PlacedRun> runs;             ///< Oldest commit first; of one commit in one environment, the latest first.
  std::vector<std::string> other_epochs;   ///< Environments that are not shown, by name.
  std::size_t earlier_of_same_commit = 0;  ///< Runs beside a later one of the same commit in the same environment.
};

/// Shown is the environment that was measured last along the line (the one with more runs, where several were), or the
/// one whose name begins with `environment`, and then what came before it: of each older epoch the runs up to the first
/// commit of the next, so that a commit measured in both joins them. Of several runs of one commit in one environment
/// each case is that of the run that has it and was started last (HistoryIndex::load()). An error (input): no
/// environment is called so. `runs` is not empty.
Result<ChosenRuns> choose_runs(std::span<const PlacedRun> runs, const std::string& environment);

}  // namespace tally
