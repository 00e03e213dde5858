/// `tally history accept`: an entry more in the accept file, held against the change that it is about.
#pragma once

#include <iosfwd>

#include "cli/context.h"
#include "cli/history_command.h"

namespace tally::cli {

/// Exit codes: 0 the file has it, now or already; 1 the file cannot be written; 2 bad input, or an entry that would not
/// cover the change.
int accept_change(const Context& context, const HistoryOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
