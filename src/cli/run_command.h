/// `tally run SUITE`: measure every case, print a table, write the record.
#pragma once

#include "cli/measure.h"

namespace tally::cli {

struct RunCommandOptions {
  RunOptions run;
  std::string suite;
  std::string json;  ///< "-": standard output.
  bool resume = false;
  bool profiles = false;
};

void add_run_command_options(CLI::App& command, RunCommandOptions& options);
int run_run(const Context& context, const RunCommandOptions& options, std::ostream& out, std::ostream& err);

/// What a finished run exits with.
int exit_code_of(const Measured& measured);

}  // namespace tally::cli
