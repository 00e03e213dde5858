/// The options of everything that measures: `run`, `time`, and what re-measures for a comparison.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/option_set.h"
#include "execution/options.h"
#include "plan/plan.h"

namespace tally::cli {

struct RunOptions {
  std::vector<std::string> filters;
  std::vector<std::string> excludes;
  std::string shard;
  bool counts_only = false;
  bool wall_only = false;
  std::uint64_t iterations = 100;
  int replicates = 2;
  int repeat = 1;
  bool interleave = false;
  double precision_percent = 1;
  double min_run_time_s = 0.05;
  double max_run_time_s = 0.5;
  double timeout_s = 0;  ///< 0: 60 s for times, 300 s for counts.
  double host_timeout_s = 120;
  std::string memory;
  std::string cores;
  int retries = -1;  ///< Below 0: one after a timeout, two after a lost host.
  std::string isolation = "fork";
  bool keep = false;
  bool aa = false;
  bool cache_sim = false;
  bool branch_sim = false;
  int call_context = 0;
  std::string cxx;
  std::string python;
  std::string env_command;
  std::vector<std::string> keep_env;
  bool quiet = false;
  bool verbose = false;
  std::string color = "auto";
  int width = 0;  ///< 0: the terminal's.
};

/// Options of selection only: for `list` and `plan` too.
void add_selection_options(OptionSet& command, RunOptions& options);
void add_run_options(OptionSet& command, RunOptions& options);

Result<Selection> selection_of(const RunOptions& options);
/// What these options take of a suite.
Result<Plan> plan_of(const Suite& suite, const RunOptions& options);

/// Everything but what the machine provides (environment, folders, programs).
Result<ExecutionOptions> execution_options(const RunOptions& options);

/// "512M", "2G", "1073741824" to bytes.
Result<std::uint64_t> parse_bytes(const std::string& text, const std::string& where);

}  // namespace tally::cli
