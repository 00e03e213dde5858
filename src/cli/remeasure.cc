#include "cli/remeasure.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "cli/measuring.h"
#include "cli/suite_source.h"
#include "discovery/programs.h"
#include "run/confirm.h"

namespace tally::cli {

Remeasure remeasure_with(const Context& context, const Tools& tools, const std::string& cores,
                         const std::vector<std::string>& program_args, std::ostream& err) {
  return [&context, tools, cores, program_args, &err](const std::string& path, const std::vector<std::string>& ids,
                                                      const Record& next) -> Result<Record> {
    RunOptions run;
    run.cores = cores;
    run.server = "off";
    run.tools = tools;
    run.settings = next.settings;
    const bool program = is_program(path);
    SuiteSource source{.program_args = program_args};
    (program ? source.program : source.suite) = path;
    auto suite = definitions_of(context, source, run);
    if (!suite) return std::unexpected(suite.error());
    auto measuring = Measuring::begin(context, run, err);
    if (!measuring) return std::unexpected(measuring.error());
    const AgainRequest again{.suite = *suite,
                             .suite_path = program ? "" : path,
                             .ids = ids,
                             .as = next,
                             .caller = caller_of(context),
                             .tools = run.tools};
    return measure_again((*measuring)->workspace(), again, (*measuring)->progress());
  };
}

Rebase rebase_with(const Context& context, const Tools& tools, const std::string& cores, std::ostream& err) {
  return [&context, tools, cores, &err](const std::string& build, const Record& base,
                                        const Record& next) -> Result<Rebased> {
    RunOptions run;
    run.cores = cores;
    run.server = "off";
    auto measuring = Measuring::begin(context, run, err);
    if (!measuring) return std::unexpected(measuring.error());
    return rebase((*measuring)->workspace(), caller_of(context),
                  {.build = build, .base = base, .next = next, .tools = tools}, (*measuring)->progress(),
                  [&err](const std::string& text) { fmt::print(err, "tally check: {}\n", text); });
  };
}

}  // namespace tally::cli
