/// The history that is shown: runs of an index that lie on a line of commits, and of these the chosen ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "history/epochs.h"
#include "history/index.h"

namespace tally {

/// Those whose commits are on the line; `run` of each is its place among `runs`.
std::vector<PlacedRun> placed_on(const CommitLine& line, const std::vector<IndexedRun>& runs);

/// `runs` are those that were placed, whose texts go over. `only`: the id of the one requested case; empty:
/// all. An error: the index cannot be read.
Result<History> read_history(const HistoryIndex& index, std::string suite, CommitLine line,
                             std::vector<IndexedRun> runs, const ChosenRuns& chosen, std::string_view only = {});

}  // namespace tally
