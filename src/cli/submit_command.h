/// `tally submit --slurm SUITE --parts N`: a plan in parts as a job array of Slurm, followed to its merged record.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/run_options.h"
#include "cli/suite_source.h"

namespace tally::cli {

struct SubmitOptions {
  RunOptions run;  ///< Held to be right here, and passed on as they were written.
  SuiteSource source;
  std::string json;
  int parts = 0;
  int resubmissions = 2;
  bool slurm = false;
  bool profiles = false;
  bool detach = false;
  bool resume = false;
  bool per_environment = false;
  std::vector<std::string> sbatch;  ///< What follows "--".
};

void add_submit_options(OptionSet& command, SubmitOptions& options);
int run_submit(const Context& context, const SubmitOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
