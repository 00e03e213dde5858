#include "cli/remeasure.h"

#include "cli/measure.h"
#include "cli/run_settings.h"
#include "definition/read_suite.h"

namespace tally::cli {

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
