#include "cli/trace_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ostream>

#include "base/files.h"
#include "cli/refuse.h"
#include "cli/table_style.h"
#include "json/text.h"
#include "report/trace/diff.h"
#include "report/trace/json.h"
#include "report/trace/page.h"
#include "report/trace/report.h"
#include "trace/analyse.h"
#include "trace/read_trace.h"

namespace tally::cli {
namespace {

trace::Nanoseconds to_nanoseconds(double seconds) {
  return static_cast<trace::Nanoseconds>(std::llround(seconds * 1e9));
}

report::TraceTextOptions text_options(const Context& context, const TraceOptions& options) {
  return {.render = rendering(context, TableStyle()),
          .kernels = options.kernels,
          .full_names = options.full_names,
          .steps = !options.no_steps,
          .unprofiled_duration = to_nanoseconds(options.duration_seconds)};
}

/// Exit code 0, or 2 with the reason on `err`.
int read_one(const std::string& path, const TraceOptions& options, std::vector<trace::TraceResult>& results,
             std::ostream& err) {
  auto data = trace::read_trace(
      path, {.operators = !options.no_operators, .legacy = options.legacy, .threads = options.threads});
  if (!data) return refuse("trace", data.error(), err);
  auto figures = trace::analyse(*data, {.steps = !options.no_steps,
                                        .timeline_events = options.html.empty() ? 0 : report::kTimelineEvents,
                                        .threads = options.threads});
  results.push_back({path, std::move(data->reading), std::move(figures)});
  return 0;
}

/// Whether any trace gave nothing, not a single event, or none of them has any device work.
bool nothing_usable(const std::vector<trace::TraceResult>& results, std::ostream& err) {
  const bool no_work = std::ranges::all_of(results, [](const auto& trace) { return trace.figures.devices.empty(); });
  bool nothing = no_work;
  for (const trace::TraceResult& trace : results) {
    if (trace.reading.events > trace.reading.refused.total()) {
      if (no_work) err << "tally trace: " << trace.path << ": no event in it is work of a device\n";
      continue;
    }
    nothing = true;
    err << "tally trace: " << trace.path
        << ": no event could be used; is this a Chrome trace (traceEvents, or an array)?\n";
  }
  return nothing;
}

std::string name_of(const trace::TraceResult& result) { return std::filesystem::path(result.path).filename().string(); }

/// The page, where one is wanted.
Status write_page(const Context& context, const std::vector<trace::TraceResult>& results,
                  const std::vector<trace::DeviceChange>& changes, const TraceOptions& options) {
  if (options.html.empty()) return {};
  const std::string title = options.task == TraceTask::diff ? name_of(results[0]) + " → " + name_of(results[1])
                            : results.size() == 1           ? name_of(results[0])
                                                            : fmt::format("{} traces", results.size());
  return write_file(options.html, report::render_trace_page(results, changes, text_options(context, options), title));
}

}  // namespace

void add_trace_options(OptionSet& trace, TraceOptions& options) {
  const auto common = [&](OptionSet& set) {
    set.add("--json", &options.json, "Print JSON");
    set.add("--no-operators", &options.no_operators,
            "Do not link kernels to operators: needs less memory, and gives no matmul share by operator");
    set.add("--threads", &options.threads, "Cores to read with: 2 (default), or 1").range(1, 2);
    set.add("--html", &options.html, "Also write a page with a timeline to this file");
    set.add("--kernels", &options.kernels, "Rows of the kernel table, 0 for all").shows_default();
  };
  trace.add("FILE", &options.files, "Traces, one per rank: .json or .json.gz; - is standard input");
  common(trace);
  trace.add("--legacy", &options.legacy, "Also show the two figures of functorch's old helper, and their error");
  trace.add("--no-steps", &options.no_steps, "Leave out the figures for each ProfilerStep");
  trace.add("--full-names", &options.full_names, "Group kernels by full name instead of by short name");
  trace
      .add("--duration", &options.duration_seconds,
           "Length of the same run without the profiler, in seconds; utilization is also given over it")
      .positive();
  OptionSet& diff = trace.add_command("diff", "What changed between two traces");
  diff.add("BEFORE", &options.diff_before, "The earlier trace").required();
  diff.add("AFTER", &options.diff_after, "The later trace").required();
  common(diff);
  diff.on_chosen = [&options] { options.task = TraceTask::diff; };
  OptionSet& record = trace.add_command("record", "Run statements under torch.profiler, keep traces and figures");
  record.on_chosen = [&options] { options.task = TraceTask::record; };
  add_trace_record_options(record, options.record);
  trace.footer =
      "Busy time is the union of a device's kernels, copies and fills. The window goes from the first start to the "
      "last\n"
      "end of its work. Compute + exposed communication + exposed memory + idle is the window, exactly.\n"
      "docs/reference/trace.md defines every figure.";
}

int run_trace(const Context& context, const TraceOptions& options, std::ostream& out, std::ostream& err) {
  if (options.task == TraceTask::record) return run_trace_record(context, options.record, out, err);
  const std::vector<std::string> files =
      options.task == TraceTask::diff ? std::vector{options.diff_before, options.diff_after} : options.files;
  if (files.empty()) {
    return refuse("trace",
                  {ErrorKind::input, "no trace given", "", "name a .json or .json.gz file, or - for standard input"},
                  err);
  }
  std::vector<trace::TraceResult> results;
  for (const std::string& path : files)
    if (const int code = read_one(path, options, results, err); code != 0) return code;
  const bool nothing = nothing_usable(results, err);
  const auto duration = to_nanoseconds(options.duration_seconds);
  if (options.task == TraceTask::diff) {
    const auto changes = trace::diff(results[0].figures, results[1].figures);
    if (const auto written = write_page(context, results, changes, options); !written)
      return refuse_output("trace", written.error(), err);
    out << (options.json ? json::to_text(report::trace_diff_json(changes, options.kernels), 2) + '\n'
                         : report::render_trace_diff(changes, text_options(context, options)));
    return nothing ? 1 : 0;
  }
  if (const auto written = write_page(context, results, {}, options); !written)
    return refuse_output("trace", written.error(), err);
  if (options.json) {
    out << json::to_text(report::trace_json(results, {.kernels = options.kernels, .unprofiled_duration = duration}), 2)
        << '\n';
  } else {
    out << report::render_trace(results, text_options(context, options));
  }
  return nothing ? 1 : 0;
}

}  // namespace tally::cli
