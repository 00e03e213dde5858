#include "cli/trace_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <ostream>

#include "base/files.h"
#include "base/readable_id.h"
#include "base/text.h"
#include "build/resolve.h"
#include "cli/trace_statements.h"
#include "json/text.h"
#include "process/interrupts.h"
#include "process/real_runner.h"
#include "report/text/format.h"
#include "report/trace/json.h"
#include "report/trace/report.h"
#include "trace/read_trace.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;
using json::Array;
using json::Object;
using json::Value;

Result<Object> profiler_arguments(const std::vector<std::string>& given) {
  Object out;
  for (const std::string& pair : given) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(ErrorKind::input, "not KEY=VALUE", "--profiler " + pair, "write --profiler record_shapes=True");
    out[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return out;
}

Result<std::string> interpreter_for(ProcessRunner& runner, const Context& context, const TraceRecordOptions& options,
                                    Toolchain toolchain) {
  if (!options.python.empty()) toolchain.python = {options.python};
  const auto found = resolve_interpreter(runner, toolchain, {context.environment, context.working_folder});
  if (!found) return std::unexpected(found.error());
  return found->path;
}

/// "cpu, cuda" as a list.
Array words(std::string_view text) {
  Array out;
  for (const std::string_view word : split(text, ','))
    if (!trim(word).empty()) out.push_back(std::string(trim(word)));
  return out;
}

/// The driver's instructions; trace_record.py says what each key means.
Object job_for(const TracedStatement& s, const TraceRecordOptions& options, const Object& profiler,
               const fs::path& trace, const fs::path& result) {
  Array prepare;
  for (const ToolchainCode& code : before_setup(s.toolchain, Language::python, s.threads))
    prepare.emplace_back(code.text);
  return {{"requires", s.toolchain.requires_modules},
          {"prepare", std::move(prepare)},
          {"load", s.load},
          {"setup", s.setup},
          {"stmt", s.stmt},
          {"seed", s.toolchain.seed.py},
          {"before_region", s.toolchain.before_region.py},
          // Waiting for a device that is there is the driver's own affair.
          {"sync", s.toolchain.device.py.empty() ? s.toolchain.sync.py : ""},
          {"context", options.context},
          {"runs", options.runs},
          {"activities", words(options.activities)},
          {"devices", words(options.devices)},
          {"profiler", profiler},
          {"steps", !options.no_steps && !options.legacy},
          {"trace", trace.string()},
          {"result", result.string()}};
}

/// Both of the old helper's figures by our definitions; null where no GPU did anything. Several devices: their mean.
struct Shares {
  Value utilization, math;
};

Shares shares_of(const trace::TraceFigures& figures, double length_ns) {
  if (figures.devices.empty() || length_ns <= 0) return {};
  double busy = 0, math = 0;
  for (const trace::DeviceFigures& d : figures.devices) {
    busy += static_cast<double>(d.parts.busy);
    math += static_cast<double>(d.math_busy);
  }
  const double whole = length_ns * static_cast<double>(figures.devices.size());
  return {busy / whole, math / whole};
}

/// A length as the driver says it.
trace::Nanoseconds nanoseconds(const Value& length) {
  return length.whole() == nullptr ? 0 : static_cast<trace::Nanoseconds>(*length.whole());
}

/// Where the statement failed, and the end of what it printed.
std::string evidence(const std::string& traceback, const ProcessResult& ran) {
  constexpr std::size_t most = 2000;
  std::string text(trim(traceback));
  for (const CapturedOutput* const output : {&ran.out, &ran.err}) {
    const std::string all = output->text();
    const std::string_view printed = trim(all);
    if (printed.empty()) continue;
    text += "\noutput:\n";
    text += printed.substr(printed.size() - std::min(printed.size(), most));
  }
  return std::string(trim(text));
}

struct Recorder {
  const Context& context;
  const TraceRecordOptions& options;
  const Object& profiler;
  ProcessRunner& runner;
  std::ostream& out;
  std::ostream& err;
  Array results = {};

  Result<Object> drive(const TracedStatement& s, const std::string& python, const fs::path& trace) {
    const auto scratch = TemporaryFolder::make();
    if (!scratch) return std::unexpected(scratch.error());
    const fs::path result_file = scratch->path() / "result.json";
    const Object job = job_for(s, options, profiler, trace, result_file);
    ProcessRequest request;
    request.argv = {python, context.libexec + "/trace_record.py"};
    request.environment = with_variables(context.environment, s.toolchain.environment);
    request.deadline = Milliseconds(std::llround(options.timeout_s * 1000));
    request.stdin_text = json::to_text(job);
    const ProcessResult ran = run(runner, std::move(request));
    const auto text = read_file(result_file);
    const auto read = text ? json::parse(*text) : std::unexpected(text.error());
    const Object* const result = read ? read->object() : nullptr;
    if (!result)
      return fail(ErrorKind::failed, "the recording " + describe(ran.outcome), s.id, std::string(trim(ran.err.text())));
    if ((*read)["ok"] != true) {
      return fail(ErrorKind::failed, (*read)["stage"].text_or("") + " failed: " + (*read)["message"].text_or(""), s.id,
                  evidence((*read)["traceback"].text_or(""), ran));
    }
    return *result;
  }

  Status record(const TracedStatement& s) {
    const auto python = interpreter_for(runner, context, options, s.toolchain);
    if (!python) return std::unexpected(python.error());
    const fs::path trace = fs::absolute(fs::path(options.output) / (s.file + ".trace.json"));
    auto result = drive(s, *python, trace);
    if (!result) return std::unexpected(result.error());
    auto data = trace::read_trace(trace.string(), {.operators = true, .legacy = options.legacy});
    if (!data) return std::unexpected(data.error());
    const Value answer = *result;
    const auto length_ns = nanoseconds(answer["unprofiled_ns"]);
    auto figures = trace::analyse(*data, {});
    const auto [utilization, math] = shares_of(figures, static_cast<double>(length_ns));
    std::vector<trace::TraceResult> read;
    read.push_back({trace.string(), std::move(*data), std::move(figures)});
    Object entry = {{"id", s.id}, {"trace", trace.string()}};
    entry.update(*std::move(result));
    entry.erase("ok");
    entry["utilization"] = utilization;
    entry["matmul_convolution"] = math;
    entry["figures"] = report::trace_json(read, {.unprofiled_duration = length_ns});
    const auto written =
        write_file(fs::path(options.output) / (s.file + ".figures.json"), json::to_text(entry, 2) + "\n");
    if (!written) return written;
    if (!options.json) print(s, answer, read);
    results.push_back(std::move(entry));
    return {};
  }

  void print(const TracedStatement& s, const Value& result, const std::vector<trace::TraceResult>& read) {
    const trace::Nanoseconds length = nanoseconds(result["unprofiled_ns"]);
    const std::string gpu = result["gpu"].text_or("");
    out << printable(readable_id(s.id)) << '\n';
    out << fmt::format("  torch {}, {}; {} runs take {}, profiled {}\n", result["torch"].text_or(""),
                       gpu.empty() ? "no GPU" : gpu, options.runs, format_nanoseconds(length),
                       format_nanoseconds(nanoseconds(result["profiled_ns"])));
    if (const Array* notes = result["notes"].array())
      for (const Value& note : *notes)
        if (note.text()) out << "  " << printable(*note.text()) << '\n';
    out << report::render_trace(read,
                                {.render = {.width = context.width}, .kernels = 10, .unprofiled_duration = length})
        << '\n';
  }
};

}  // namespace

void add_trace_record_options(OptionSet& record, TraceRecordOptions& options) {
  record.add("SUITE", &options.suite, "Suite whose eager Python cases to record");
  record.add("--filter", &options.filters, "Record only the cases that match (see tally list)").needs("SUITE");
  record.add("--stmt", &options.stmt, "Python statement to record").excludes("SUITE");
  record.add("--setup", &options.setup, "Code that runs once before it; torch is already imported").excludes("SUITE");
  record.add("-t,--toolchain", &options.toolchain, "Toolchain of the statement: cpp, python or torch")
      .shows_default()
      .excludes("SUITE");
  record.add("--threads", &options.threads, "Number of threads, if the toolchain can set it")
      .shows_default()
      .range(1, 1024)
      .excludes("SUITE");
  record.add("--runs", &options.runs, "Number of runs, first without and then with the profiler")
      .range(1, 1'000'000)
      .shows_default();
  record.add("--context", &options.context, "Python context to enter once around all runs, such as torch.no_grad()");
  record.add("--activities", &options.activities, "Activities that the profiler records").shows_default();
  record.add("--devices", &options.devices, "Device to wait for at the end of each run; cpu: none").shows_default();
  record.add("--profiler", &options.profiler,
             "Option of torch.profiler.profile, such as record_shapes=True (repeatable)");
  record.add("--no-steps", &options.no_steps, "Do not mark the profiled runs as ProfilerSteps");
  record.add("--legacy", &options.legacy,
             "Also show the two figures of functorch's old helper, from runs without step marks");
  record.add("--output", &options.output, "Folder for traces and figures").shows_default();
  record.add("--python", &options.python, "Python interpreter to use");
  record.add("--timeout", &options.timeout_s, "Time limit for each case, in seconds").positive().shows_default();
  record.add("--json", &options.json, "Print JSON");
  record.chosen = &options.requested;
}

int run_trace_record(const Context& context, const TraceRecordOptions& options, std::ostream& out, std::ostream& err) {
  if (options.suite.empty() == options.stmt.empty())
    return report_error({ErrorKind::input, "give a suite or a statement", "tally trace record",
                         "tally trace record --stmt 'y = x @ x' --setup 'x = torch.ones(64, 64)'"},
                        err);
  const auto profiler = profiler_arguments(options.profiler);
  if (!profiler) return report_error(profiler.error(), err);
  const auto statements = traced_statements(options);
  if (!statements) return report_error(statements.error(), err);
  if (statements->skipped != 0)
    err << fmt::format("tally: {} C++ and TorchScript cases are not recorded\n", statements->skipped);
  if (Status made = make_folder(options.output); !made) {
    Error error = made.error();
    error.mend = "name another --output";
    return report_error(error, err);
  }
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(interrupts.error(), err);
  RealProcessRunner runner(context.libexec + "/tally-supervisor", &*interrupts);
  Recorder recorder{context, options, *profiler, runner, out, err};
  bool failed = false;
  for (const TracedStatement& s : statements->all) {
    const auto done = recorder.record(s);
    if (runner.interruptions() > 0) return kInterrupted;
    if (!done) {
      report_error(done.error(), err);
      failed = true;
    }
  }
  if (options.json) out << json::to_text(Object{{"schema", 1}, {"recordings", std::move(recorder.results)}}, 2) << '\n';
  return failed ? kFailed : kFine;
}

}  // namespace tally::cli
