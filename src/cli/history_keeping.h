/// What `tally history` does to a store: adds records, takes profiles and the index away, exchanges it with a remote.
///
/// Each prints what it did and returns the exit code: 0; 1 the operating system, or git, refused; 2 bad input.
#pragma once

#include <iosfwd>

#include "base/error.h"
#include "cli/context.h"
#include "cli/history_command.h"

namespace tally::cli {

/// Prints the error and returns its exit code.
int history_refused(const Error& error, std::ostream& err);

/// `options.records`; a record that is refused does not keep the others out. Profiles that explain nothing go.
int add_to_history(const Context& context, const HistoryOptions& options, std::ostream& out, std::ostream& err);
/// All records of folders; what is no commit's is reported and left out. 1: none was one.
int import_to_history(const Context& context, const HistoryOptions& options, std::ostream& out, std::ostream& err);
int prune_history(const Context& context, const HistoryOptions& options, std::ostream& out, std::ostream& err);
int rebuild_history_index(const Context& context, const HistoryOptions& options, std::ostream& err);
/// Pushes or pulls a branch.
int exchange_history(const Context& context, const HistoryOptions& options, std::ostream& err);

}  // namespace tally::cli
