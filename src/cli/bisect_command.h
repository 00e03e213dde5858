/// `tally bisect GOOD BAD`: which commits between the two changed which counts.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/commit_options.h"
#include "cli/option_set.h"
#include "report/text/table.h"

namespace tally::cli {

struct BisectOptions {
  std::string good;
  std::string bad;
  CommitOptions commits;
  int limit = 0;  ///< 0: none.
  int top = 3;
  bool json = false;
};

void add_bisect_options(OptionSet& command, BisectOptions& options);
/// Exit codes: 0 found, 1 nothing found, an end that cannot be measured or --limit reached, 2 bad input, 130
/// interrupted.
int run_bisect(const Context& context, const BisectOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
