#include "cli/trace_record.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <ostream>

#include "base/files.h"
#include "base/text.h"
#include "build/resolve.h"
#include "definition/builtin_toolchains.h"
#include "definition/read_suite.h"
#include "expansion/expand.h"
#include "json/text.h"
#include "plan/filter.h"
#include "process/real_runner.h"
#include "report/format.h"
#include "report/trace_json.h"
#include "report/trace_report.h"
#include "trace/read_trace.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;
using json::Array;
using json::Object;
using json::Value;

struct Statement {
  std::string id;
  std::string file;  ///< Its files' name, without an ending.
  std::string stmt, setup;
  Toolchain toolchain;
};

const Toolchain* toolchain_named(const std::vector<Toolchain>& all, std::string_view name) {
  for (const Toolchain& toolchain : all)
    if (toolchain.name == name) return &toolchain;
  return nullptr;
}

std::string file_name(std::string_view id, std::size_t number) {
  std::string out;
  for (const char c : id) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) {
      out += c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return fmt::format("{:03}-{}", number, out.substr(0, 80));
}

/// The statements to record; `skipped` counts cases that are not Python in eager mode.
Result<std::vector<Statement>> statements_of(const TraceRecordOptions& options, std::size_t& skipped) {
  std::vector<Statement> out;
  if (options.suite.empty()) {
    const auto& builtin = builtin_toolchains();
    const Toolchain* torch = toolchain_named(builtin, "torch");
    if (torch == nullptr) return fail(ErrorKind::internal, "there is no toolchain 'torch'");
    out.push_back({options.stmt, "statement", options.stmt, options.setup, *torch});
    return out;
  }
  const auto suite = read_suite(options.suite);
  if (!suite) return std::unexpected(suite.error());
  auto cases = expand(*suite);
  if (!cases) return std::unexpected(cases.error());
  auto chosen = select(std::move(*cases), {.filters = options.filters});
  if (!chosen) return std::unexpected(chosen.error());
  for (const Case& c : *chosen) {
    if (c.language != Language::python || c.artifact) {
      ++skipped;
      continue;
    }
    const Toolchain* toolchain = toolchain_named(suite->toolchains(), c.toolchain);
    if (toolchain == nullptr) return fail(ErrorKind::internal, "a case of no known toolchain", c.id);
    out.push_back({c.id, file_name(c.id, out.size() + 1), c.stmt.text(), c.setup.text(), *toolchain});
  }
  if (out.empty())
    return fail(ErrorKind::input, "no Python case in eager mode is meant; only those are recorded", options.suite,
                "use --filter, or see tally list");
  return out;
}

Result<Object> profiler_arguments(const std::vector<std::string>& given) {
  Object out;
  for (const std::string& pair : given) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(ErrorKind::input, "not KEY=VALUE", "--profiler " + pair, "write --profiler record_shapes=true");
    const std::string text = pair.substr(equals + 1);
    auto value = json::parse(text == "True" ? "true" : text == "False" ? "false" : text);
    out[pair.substr(0, equals)] = value ? *std::move(value) : Value(text);
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

struct Recorder {
  const Context& context;
  const TraceRecordOptions& options;
  const Object& profiler;
  ProcessRunner& runner;
  std::ostream& out;
  std::ostream& err;
  Array results = {};

  Result<Object> drive(const Statement& s, const std::string& python, const fs::path& trace) {
    const auto scratch = TemporaryFolder::make();
    if (!scratch) return std::unexpected(scratch.error());
    const fs::path result_file = scratch->path() / "result.json";
    Array activities;
    for (const std::string_view name : split(options.activities, ','))
      if (!trim(name).empty()) activities.push_back(std::string(trim(name)));
    const Object job = {{"stmt", s.stmt},           {"setup", s.setup},
                        {"runs", options.runs},     {"context", options.context},
                        {"activities", activities}, {"profiler", profiler},
                        {"trace", trace.string()},  {"result", result_file.string()}};
    ProcessRequest request;
    request.argv = {python, context.libexec + "/trace_record.py"};
    request.environment = context.environment;
    request.deadline = Milliseconds(std::llround(options.timeout_s * 1000));
    request.stdin_text = json::to_text(job);
    const ProcessResult ran = run(runner, std::move(request));
    const auto text = read_file(result_file);
    const auto read = text ? json::parse(*text) : std::unexpected(text.error());
    const Object* const result = read ? read->object() : nullptr;
    if (!result)
      return fail(ErrorKind::failed, "the recording " + describe(ran.outcome), s.id, std::string(trim(ran.err.text())));
    if ((*read)["ok"] != true)
      return fail(ErrorKind::failed, (*read)["stage"].text_or("") + " failed: " + (*read)["message"].text_or(""), s.id);
    return *result;
  }

  Status record(const Statement& s) {
    const auto python = interpreter_for(runner, context, options, s.toolchain);
    if (!python) return std::unexpected(python.error());
    const fs::path trace = fs::absolute(fs::path(options.output) / (s.file + ".trace.json"));
    auto result = drive(s, *python, trace);
    if (!result) return std::unexpected(result.error());
    auto data = trace::read_trace(trace.string(), {.operators = true});
    if (!data) return std::unexpected(data.error());
    auto figures = trace::analyse(*data, {});
    const Value answer = *result;
    const double length = answer["unprofiled_s"].number().value_or(0);
    const auto length_ns = static_cast<trace::Nanoseconds>(std::llround(length * 1e9));
    std::vector<trace::TraceResult> read;
    read.push_back({trace.string(), std::move(*data), std::move(figures)});
    Object entry = {{"id", s.id}, {"trace", trace.string()}};
    entry.update(*std::move(result));
    entry.erase("ok");
    entry["figures"] = report::trace_json(read, {.unprofiled_duration = length_ns});
    const auto written =
        write_file(fs::path(options.output) / (s.file + ".figures.json"), json::to_text(entry, 2) + "\n");
    if (!written) return written;
    if (!options.json) print(s, answer, read, length_ns);
    results.push_back(std::move(entry));
    return {};
  }

  void print(const Statement& s, const Value& result, const std::vector<trace::TraceResult>& read,
             trace::Nanoseconds length) {
    const double unprofiled = result["unprofiled_s"].number().value_or(0);
    const double profiled = result["profiled_s"].number().value_or(0);
    const std::string gpu = result["gpu"].text_or("");
    out << printable(s.id) << '\n';
    out << fmt::format("  torch {}, {}; {} runs take {}, profiled {}\n", result["torch"].text_or(""),
                       gpu.empty() ? "no GPU" : gpu, options.runs, format_seconds(unprofiled),
                       format_seconds(profiled));
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
  record.add("SUITE", &options.suite, "Record the Python cases in eager mode of this suite");
  record.add("--filter", &options.filters, "Only cases that match (see tally list)").needs("SUITE");
  record.add("--stmt", &options.stmt, "Record this Python statement").excludes("SUITE");
  record.add("--setup", &options.setup, "What runs once before it; torch is imported already").excludes("SUITE");
  record.add("--runs", &options.runs, "Runs without and with the profiler").range(1, 1'000'000).shows_default();
  record.add("--context", &options.context, "A Python context around every group of runs, as torch.no_grad()");
  record.add("--activities", &options.activities, "What the profiler records").shows_default();
  record.add("--profiler", &options.profiler, "KEY=VALUE for torch.profiler.profile, as record_shapes=true");
  record.add("--output", &options.output, "Folder for traces and figures").shows_default();
  record.add("--python", &options.python, "The interpreter to use");
  record.add("--timeout", &options.timeout_s, "Seconds for each case").positive().shows_default();
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
  std::size_t skipped = 0;
  const auto statements = statements_of(options, skipped);
  if (!statements) return report_error(statements.error(), err);
  if (skipped != 0) err << fmt::format("tally: {} C++ and TorchScript cases are not recorded\n", skipped);
  std::error_code code;
  fs::create_directories(options.output, code);
  if (code)
    return report_error(
        {ErrorKind::input, "cannot make the folder: " + code.message(), options.output, "name another --output"}, err);
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(interrupts.error(), err);
  RealProcessRunner runner(context.libexec + "/tally-supervisor", &*interrupts);
  Recorder recorder{context, options, *profiler, runner, out, err};
  bool failed = false;
  for (const Statement& s : *statements) {
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
