/// `tally history backfill` and `tally history bridge`: commits of the past, measured here and now, for a store.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/commit_options.h"
#include "cli/option_set.h"

namespace tally::cli {

struct BackfillOptions {
  CommitOptions commits;
  std::string range;  ///< "FROM..TO"; empty: the last ones.
  int last = 0;
  int every = 1;
  std::string shard;   ///< "i/n".
  std::string bridge;  ///< The one commit of `bridge`.
};

void add_backfill_options(OptionSet& command, BackfillOptions& options);
void add_bridge_options(OptionSet& command, BackfillOptions& options);

/// The commits of the first-parent line that the store lacks, newest first: neighbours build quickest after each other.
/// Exit codes: 0; 1 a commit could not be measured, which is reported; 2 bad input; 130 interrupted.
int run_backfill(const Context& context, const BackfillOptions& options, std::ostream& out, std::ostream& err);
/// One commit, whether the store has it or not.
int run_bridge(const Context& context, const BackfillOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
