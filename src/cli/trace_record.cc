#include "cli/trace_record.h"

#include <fmt/format.h>

#include <ostream>

#include "base/files.h"
#include "base/readable_id.h"
#include "json/text.h"
#include "process/interrupts.h"
#include "process/real_runner.h"
#include "recording/trace_recorder.h"
#include "report/text/format.h"
#include "report/trace/report.h"

namespace tally::cli {
namespace {

using json::Array;
using json::Object;
using json::Value;

/// A length as the driver says it.
trace::Nanoseconds nanoseconds(const Value& length) {
  return length.whole() == nullptr ? 0 : static_cast<trace::Nanoseconds>(*length.whole());
}

void print(const TracedStatement& s, const Recording& recording, int runs, int width, std::ostream& out) {
  const Value& result = recording.answer;
  const trace::Nanoseconds length = nanoseconds(result["unprofiled_ns"]);
  const std::string gpu = result["gpu"].text_or("");
  out << printable(readable_id(s.id)) << '\n';
  out << fmt::format("  torch {}, {}; {} runs take {}, profiled {}\n", result["torch"].text_or(""),
                     gpu.empty() ? "no GPU" : gpu, runs, format_nanoseconds(length),
                     format_nanoseconds(nanoseconds(result["profiled_ns"])));
  if (const Array* notes = result["notes"].array())
    for (const Value& note : *notes)
      if (note.text()) out << "  " << printable(*note.text()) << '\n';
  out << report::render_trace(recording.traces,
                              {.render = {.width = width}, .kernels = 10, .unprofiled_duration = length})
      << '\n';
}

}  // namespace

void add_trace_record_options(OptionSet& record, TraceRecordOptions& options) {
  record.add("SUITE", &options.recorded.suite, "Suite whose eager Python cases to record");
  record.add("--filter", &options.recorded.filters, "Record only the cases that match (see tally list)").needs("SUITE");
  record.add("--stmt", &options.recorded.stmt, "Python statement to record").excludes("SUITE");
  record.add("--setup", &options.recorded.setup, "Code that runs once before it; torch is already imported")
      .excludes("SUITE");
  record.add("-t,--toolchain", &options.recorded.toolchain, "Toolchain of the statement: cpp, python or torch")
      .shows_default()
      .excludes("SUITE");
  record.add("--threads", &options.recorded.threads, "Number of threads, if the toolchain can set it")
      .shows_default()
      .range(1, 1024)
      .excludes("SUITE");
  record.add("--runs", &options.recorded.runs, "Number of runs, first without and then with the profiler")
      .range(1, 1'000'000)
      .shows_default();
  record.add("--context", &options.recorded.context,
             "Python context to enter once around all runs, such as torch.no_grad()");
  record.add("--activities", &options.recorded.activities, "Activities that the profiler records").shows_default();
  record.add("--devices", &options.recorded.devices, "Device to wait for at the end of each run; cpu: none")
      .shows_default();
  record.add("--profiler", &options.recorded.profiler,
             "Option of torch.profiler.profile, such as record_shapes=True (repeatable)");
  record.add("--no-steps", &options.recorded.no_steps, "Do not mark the profiled runs as ProfilerSteps");
  record.add("--legacy", &options.recorded.legacy,
             "Also show the two figures of functorch's old helper, from runs without step marks");
  record.add("--output", &options.recorded.output, "Folder for traces and figures").shows_default();
  record.add("--python", &options.recorded.python, "Python interpreter to use");
  record.add("--timeout", &options.recorded.timeout_s, "Time limit for each case, in seconds")
      .positive()
      .shows_default();
  record.add("--json", &options.json, "Print JSON");
}

int run_trace_record(const Context& context, const TraceRecordOptions& options, std::ostream& out, std::ostream& err) {
  const RecordingRequest& request = options.recorded;
  if (request.suite.empty() == request.stmt.empty())
    return report_error({ErrorKind::input, "give a suite or a statement", "tally trace record",
                         "tally trace record --stmt 'y = x @ x' --setup 'x = torch.ones(64, 64)'"},
                        err);
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(interrupts.error(), err);
  RealProcessRunner runner(context.libexec + "/tally-supervisor", &*interrupts);
  auto recorder = TraceRecorder::make(
      runner,
      {.environment = context.environment, .working_folder = context.working_folder, .libexec = context.libexec},
      request);
  if (!recorder) return report_error(recorder.error(), err);
  const auto statements = traced_statements(request);
  if (!statements) return report_error(statements.error(), err);
  if (statements->skipped != 0)
    err << fmt::format("tally: {} C++ and TorchScript cases are not recorded\n", statements->skipped);
  if (Status made = make_folder(request.output); !made) {
    Error error = made.error();
    error.hint = "name another --output";
    return report_error(error, err);
  }
  Array recordings;
  bool failed = false;
  for (const TracedStatement& s : statements->all) {
    auto recording = recorder->record(s);
    if (runner.interruptions() > 0) return kInterrupted;
    if (!recording) {
      report_error(recording.error(), err);
      failed = true;
      continue;
    }
    if (!options.json) print(s, *recording, request.runs, context.width, out);
    recordings.push_back(std::move(recording->entry));
  }
  if (options.json) out << json::to_text(Object{{"schema", 1}, {"recordings", std::move(recordings)}}, 2) << '\n';
  return failed ? kFailed : kFine;
}

}  // namespace tally::cli
