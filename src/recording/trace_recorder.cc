#include "recording/trace_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "build/resolve.h"
#include "json/text.h"
#include "report/trace/json.h"
#include "trace/analyse.h"
#include "trace/read_trace.h"

namespace tally {
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

Result<std::string> interpreter_for(ProcessRunner& runner, const RecordingSurroundings& around,
                                    const RecordingRequest& options, Toolchain toolchain) {
  if (!options.python.empty()) toolchain.python.interpreters = {options.python};
  const auto found = resolve_interpreter(runner, toolchain, {around.environment, around.working_folder});
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
Object job_for(const TracedStatement& s, const RecordingRequest& options, const Object& profiler, const fs::path& trace,
               const fs::path& result) {
  Array prepare;
  for (const ToolchainCode& code : before_setup(s.toolchain.texts, Language::python, s.threads))
    prepare.emplace_back(code.text);
  return {{"requires", s.toolchain.python.modules},
          {"prepare", std::move(prepare)},
          {"load", s.load},
          {"setup", s.setup},
          {"stmt", s.stmt},
          {"seed", s.toolchain.texts.seed.py},
          {"before_region", s.toolchain.texts.before_region.py},
          // Waiting for a device that is there is the driver's own affair.
          {"sync", s.toolchain.device.identify.py.empty() ? s.toolchain.device.sync.py : ""},
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

}  // namespace

Result<TraceRecorder> TraceRecorder::make(ProcessRunner& runner, RecordingSurroundings around,
                                          const RecordingRequest& request) {
  auto profiler = profiler_arguments(request.profiler);
  if (!profiler) return std::unexpected(profiler.error());
  return TraceRecorder(runner, std::move(around), request, *std::move(profiler));
}

Result<Object> TraceRecorder::drive(const TracedStatement& s, const std::string& python, const std::string& trace) {
  const auto scratch = TemporaryFolder::make();
  if (!scratch) return std::unexpected(scratch.error());
  const fs::path result_file = scratch->path() / "result.json";
  const Object job = job_for(s, request_, profiler_, trace, result_file);
  ProcessRequest process;
  process.argv = {python, around_.libexec + "/trace_record.py"};
  process.environment = with_variables(around_.environment, s.toolchain.environment);
  process.deadline = Milliseconds(std::llround(request_.timeout_s * 1000));
  process.stdin_text = json::to_text(job);
  const ProcessResult ran = run(runner_, std::move(process));
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

Result<Recording> TraceRecorder::record(const TracedStatement& s) {
  const auto python = interpreter_for(runner_, around_, request_, s.toolchain);
  if (!python) return std::unexpected(python.error());
  const fs::path trace = fs::absolute(fs::path(request_.output) / (s.file + ".trace.json"));
  auto result = drive(s, *python, trace.string());
  if (!result) return std::unexpected(result.error());
  auto data = trace::read_trace(trace.string(), {.operators = true, .legacy = request_.legacy});
  if (!data) return std::unexpected(data.error());
  const Value answer = *result;
  const auto length_ns = nanoseconds(answer["unprofiled_ns"]);
  auto figures = trace::analyse(*data, {});
  const auto [utilization, math] = shares_of(figures, static_cast<double>(length_ns));
  std::vector<trace::TraceResult> read;
  read.push_back({trace.string(), std::move(data->reading), std::move(figures)});
  Object entry = {{"id", s.id}, {"trace", trace.string()}};
  entry.update(*std::move(result));
  entry.erase("ok");
  entry["utilization"] = utilization;
  entry["matmul_convolution"] = math;
  entry["figures"] = report::trace_json(read, {.unprofiled_duration = length_ns});
  const auto written =
      write_file(fs::path(request_.output) / (s.file + ".figures.json"), json::to_text(entry, 2) + "\n");
  if (!written) return std::unexpected(written.error());
  return Recording{.answer = answer, .entry = std::move(entry), .traces = std::move(read)};
}

}  // namespace tally
