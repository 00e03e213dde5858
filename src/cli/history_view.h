/// From a store, a repository and what was asked for to a history that can be shown.
#pragma once

#include <deque>
#include <iosfwd>
#include <vector>

#include "cli/context.h"
#include "cli/history_command.h"
#include "report/history_view.h"

namespace tally::cli {

/// The view points into the records.
struct LoadedHistory {
  std::deque<Record> records;  ///< Oldest first.
  HistoryView view;
};

/// What was left out (other environments, commits elsewhere, later runs of a commit) is said on `err`. Errors (input):
/// nothing is stored, several suites and none named, no repository, no run of a commit on the line.
Result<LoadedHistory> load_history(const Context& context, const HistoryOptions& options, std::ostream& err);

}  // namespace tally::cli
