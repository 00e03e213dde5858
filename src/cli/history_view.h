/// Makes a history that can be shown, from a store, a repository and what was requested.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "cli/context.h"
#include "cli/history_command.h"
#include "history/named_store.h"
#include "report/history/view.h"

namespace tally::cli {

/// The store that the options name.
NamedStore named_store(const Context& context, const HistoryOptions& options);

/// A history, and the store that the profiles of its runs are in.
struct LoadedHistory {
  std::unique_ptr<ProcessRunner> runner;
  HistoryStore store;
  HistoryView view;
};

/// What was left out (other environments, commits elsewhere, earlier runs of a commit) is reported on `err`. `only`:
/// the id of the one requested case, or what only its id contains or matches; empty: all. Errors (input): nothing is
/// stored, several suites and none named, no repository, no run of a commit on the line, no such case.
Result<LoadedHistory> load_history(const Context& context, const HistoryOptions& options, const std::string& only,
                                   std::ostream& err);

}  // namespace tally::cli
