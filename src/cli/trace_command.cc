#include "cli/trace_command.h"

#include <cmath>
#include <ostream>

#include "report/trace_json.h"
#include "trace/read_trace.h"

namespace tally::cli {

void add_trace_options(CLI::App& trace, TraceOptions& options) {
  trace.add_option("FILE", options.files, "Traces (.json, .json.gz, - for standard input)")->required();
  trace.add_flag("--json", options.json, "Print JSON");
  trace.add_flag("--legacy", options.legacy, "Also the old helper's two figures, and how far off they are");
  trace.add_flag("!--no-operators", options.operators, "Do not link kernels to operators");
  trace.add_option("--threads", options.threads, "Threads for one file: 1 or 2")->check(CLI::Range(1, 2));
}

int run_trace(const TraceOptions& options, std::ostream& out, std::ostream& err) {
  std::vector<report::TraceResult> results;
  for (const std::string& path : options.files) {
    auto data =
        trace::read_trace(path, {.operators = options.operators, .legacy = options.legacy, .threads = options.threads});
    if (!data) {
      err << "tally trace: " << describe(data.error()) << '\n';
      return 2;
    }
    auto figures = trace::analyse(*data, {});
    results.push_back({path, std::move(*data), std::move(figures)});
  }
  out << report::dump_json(report::trace_json(results, {}), 2) << '\n';
  return 0;
}

}  // namespace tally::cli
