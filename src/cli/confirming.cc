#include "cli/confirming.h"

#include "cli/measuring.h"
#include "cli/suite_source.h"
#include "run/confirm.h"

namespace tally::cli {

Remeasure remeasure_with(const Context& context, const CheckCommandOptions& options, std::ostream& err) {
  return [&context, &options, &err](const std::string& path, const std::vector<std::string>& ids,
                                    const Record& next) -> Result<Record> {
    RunOptions run;
    run.cores = options.cores;
    run.server = "off";
    run.tools = {.cxx = options.cxx, .python = options.python, .env_command = options.env_command};
    run.settings = next.settings;
    const bool program = is_program(path);
    auto suite = definitions_of(context, program ? SuiteSource{"", path} : SuiteSource{path, ""}, run);
    if (!suite) return std::unexpected(suite.error());
    auto measuring = Measuring::begin(context, run, err);
    if (!measuring) return std::unexpected(measuring.error());
    return measure_again((*measuring)->workspace(), *suite, program ? "" : path, ids, next, caller_of(context),
                         run.tools, (*measuring)->progress());
  };
}

}  // namespace tally::cli
