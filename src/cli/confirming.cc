#include "cli/confirming.h"

#include "cli/measuring.h"
#include "definition/read_suite.h"
#include "run/confirm.h"

namespace tally::cli {

Remeasure remeasure_with(const Context& context, const CheckCommandOptions& options, std::ostream& err) {
  return [&context, &options, &err](const std::string& path, const std::vector<std::string>& ids,
                                    const Record& next) -> Result<Record> {
    auto suite = read_suite(path);
    if (!suite) return std::unexpected(suite.error());
    RunOptions run;
    run.cores = options.cores;
    run.server = "off";
    auto measuring = Measuring::begin(context, run, err);
    if (!measuring) return std::unexpected(measuring.error());
    const Tools tools{.cxx = options.cxx, .python = options.python, .env_command = options.env_command};
    return measure_again((*measuring)->workspace(), *suite, path, ids, next, caller_of(context), tools,
                         (*measuring)->progress());
  };
}

}  // namespace tally::cli
