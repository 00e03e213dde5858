#include "cli/remeasure.h"

#include "cli/measure.h"
#include "definition/read_suite.h"

namespace tally::cli {

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

Remeasure remeasure_with(const Context& context, const CheckCommandOptions& options, std::ostream& err) {
  return [&context, &options, &err](const std::string& path, const std::vector<std::string>& ids,
                                    const Record& as) -> Result<Record> {
    auto suite = read_suite(path);
    if (!suite) return std::unexpected(suite.error());
    RunOptions run = options_like(as.settings);
    run.env_command = options.env_command;
    run.cxx = options.cxx;
    run.python = options.python;
    run.cores = options.cores;
    auto plan = make_plan(*suite, {.selection = {.filters = ids}, .repeat = run.repeat});
    if (!plan) return std::unexpected(plan.error());
    auto measured = measure(context, run, {.plan = &*plan, .suite = path}, err);
    if (!measured) return std::unexpected(measured.error());
    if (measured->stopped) return std::unexpected(*measured->stopped);
    if (measured->interrupted) return fail(ErrorKind::input, "--confirm: interrupted", path);
    return std::move(measured->record);
  };
}

}  // namespace tally::cli
