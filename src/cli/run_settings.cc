#include "cli/run_settings.h"

#include "execution/host_command.h"

namespace tally::cli {

Settings settings_of(const ExecutionOptions& execution, const RunOptions& options) {
  Settings settings;
  settings.counts = execution.counts;
  settings.wall = execution.wall;
  settings.iterations = execution.iterations;
  settings.replicates = execution.replicates;
  settings.max_replicates = execution.max_replicates;
  settings.cache_sim = execution.cache_sim;
  settings.branch_sim = execution.branch_sim;
  settings.isolation = execution.process_isolation ? "process" : "fork";
  settings.min_run_time_s = execution.wall_plan.min_run_time_s;
  settings.max_run_time_s = execution.wall_plan.max_run_time_s;
  settings.precision = execution.wall_plan.precision;
  settings.repeat = options.repeat;
  settings.interleave = options.interleave;
  settings.valgrind_flags = execution.counts ? valgrind_flags(execution) : std::vector<std::string>{};
  settings.kept_environment = options.keep_env;
  return settings;
}

RunOptions options_like(const Settings& settings) {
  RunOptions options;
  options.counts_only = !settings.wall;
  options.wall_only = !settings.counts;
  options.iterations = settings.iterations;
  options.replicates = settings.replicates;
  options.repeat = settings.repeat;
  options.interleave = settings.interleave;
  options.isolation = settings.isolation;
  options.cache_sim = settings.cache_sim;
  options.branch_sim = settings.branch_sim;
  options.keep_env = settings.kept_environment;
  // An interleaved run stores the plan of one of its three turns.
  const double turns = settings.interleave ? 3 : 1;
  if (settings.precision > 0) options.precision_percent = settings.precision * 100;
  if (settings.min_run_time_s > 0) options.min_run_time_s = settings.min_run_time_s * turns;
  if (settings.max_run_time_s > 0) options.max_run_time_s = settings.max_run_time_s * turns;
  return options;
}

}  // namespace tally::cli
