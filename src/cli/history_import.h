/// `tally history import --format FORMAT PATH…`: results of another tool become runs of a history.
///
/// Prints what it did and returns the exit code: 0; 1 the operating system refused; 2 bad input, of which other results
/// are added all the same.
#pragma once

#include <iosfwd>

#include "cli/context.h"
#include "cli/history_command.h"

namespace tally::cli {

int import_results_to_history(const Context& context, const HistoryOptions& options, std::ostream& out,
                              std::ostream& err);

}  // namespace tally::cli
