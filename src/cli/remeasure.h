/// `tally check --confirm SUITE`: measures suspected cases again, in the way that a record says of itself.
#pragma once

#include "cli/check_command.h"
#include "cli/context.h"
#include "cli/run_options.h"

namespace tally::cli {

/// The options of a run that `settings` came from, as far as a record says: which compiler, interpreter or environment
/// command was asked for it does not. (A record is data of others: nothing in it is ever run.)
RunOptions options_like(const Settings& settings);

/// For run_check(). An interrupted or broken-off measurement is an error: half of it confirms nothing.
Remeasure remeasure_with(const Context& context, const CheckCommandOptions& options, std::ostream& err);

}  // namespace tally::cli
