/// `tally exec -- PYTHON SCRIPT…`: runs a program under the counter. Nothing is counted until the program asks
/// tallymark for a measurement; forks of the program are measured then.
///
/// This process becomes the program: its exit code, its signals and its terminal are the user's. What measures for it
/// is a server of its own, which ends with it.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/option_set.h"

namespace tally::cli {

struct ExecOptions {
  std::vector<std::string> program;  ///< And its arguments.
};

void add_exec_options(OptionSet& command, ExecOptions& options);
/// Comes back where the program could not be started: an exit code (127 where there is none of its name, as shells
/// have it).
int run_exec(const Context& context, const ExecOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
