/// `tally check --confirm SUITE`: measures suspected cases again, in the way that a record says of itself.
#pragma once

#include "cli/check_command.h"
#include "cli/context.h"

namespace tally::cli {

/// For run_check(). An interrupted or broken-off measurement is an error: half of it confirms nothing.
Remeasure remeasure_with(const Context& context, const CheckCommandOptions& options, std::ostream& err);

}  // namespace tally::cli
