/// Between a run's options and the settings that its record keeps: a new option that changes figures belongs in both.
#pragma once

#include "cli/run_options.h"
#include "record/record.h"

namespace tally::cli {

/// What the record says of how it was measured.
Settings settings_of(const ExecutionOptions& execution, const RunOptions& options);

/// The options of a run that `settings` came from, as far as a record says: which compiler, interpreter or environment
/// command was asked for it does not. (A record is data of others: nothing in it is ever run.)
RunOptions options_like(const Settings& settings);

}  // namespace tally::cli
