/// What the commands that measure one commit after another share: `bisect`, `history backfill` and `history bridge`.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "cli/context.h"
#include "cli/measuring.h"
#include "cli/option_set.h"
#include "commits/commit_runner.h"

namespace tally::cli {

struct CommitOptions {
  std::string build;
  std::string suite;
  std::string program;
  std::string store = "tally-history";
  bool times = false;
  RunOptions run;  ///< Its filters are --case.
};

/// --build, --suite, --program, --store, --case, and how to measure.
void add_commit_options(OptionSet& command, CommitOptions& options);

/// A runner of commits, and this process as the one that measures for it.
struct CommitSession {
  std::unique_ptr<Measuring> measuring;
  std::unique_ptr<CommitRunner> commits;
};

/// `command` begins each message on `err`. Errors: those of the options, of Measuring and of CommitRunner.
Result<CommitSession> open_commits(const Context& context, const CommitOptions& options, bool with_profiles,
                                   const std::string& command, std::ostream& err);

}  // namespace tally::cli
