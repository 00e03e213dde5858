/// `tally run SUITE`: measure every case, print a table, write the record.
#pragma once

#include "cli/context.h"
#include "cli/profile_options.h"
#include "cli/run_options.h"
#include "cli/suite_source.h"
#include "report/text/table.h"
#include "run/run.h"

namespace tally::cli {

struct RunCommandOptions {
  RunOptions run;
  SuiteSource source;
  std::string json;    ///< "-": standard output.
  std::string reuse;   ///< A record or a store whose counts are reused for cases with unchanged inputs.
  std::string expect;  ///< A record, or a folder of records, that the run is to read the same as.
  bool resume = false;
  ProfileOptions profiles;
};

void add_run_command_options(OptionSet& command, RunCommandOptions& options);
int run_run(const Context& context, const RunCommandOptions& options, std::ostream& out, std::ostream& err);

/// The record of a finished run as requested: JSON on `out` where `json` is "-", otherwise a table, and the
/// record in the file `json` names. An error is a file that could not be written.
Status print_record(const Context& context, const RunOptions& options, const RunResult& result, const std::string& json,
                    std::ostream& out);

/// What a finished run exits with.
int exit_code_of(const RunResult& result);

}  // namespace tally::cli
