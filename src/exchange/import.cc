#include "exchange/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/contains.h"
#include "base/digest.h"
#include "exchange/import_commands.h"
#include "exchange/import_common.h"
#include "exchange/import_cpp.h"
#include "exchange/import_python.h"
#include "exchange/import_rust.h"
#include "expansion/case_id.h"
#include "measurement/wall.h"

namespace tally::exchange {

namespace {

bool is_any_json(std::string_view path) { return path.ends_with(".json"); }

bool is_result_of_asv(std::string_view path) {
  return is_any_json(path) && !path.ends_with("/machine.json") && !path.ends_with("/benchmarks.json") &&
         path != "machine.json" && path != "benchmarks.json";
}

bool is_result_of_criterion(std::string_view path) {
  return path.ends_with("new/benchmark.json") || path.ends_with("new/sample.json");
}

constexpr auto kFormats = std::to_array<ImportFormat>({
    {.name = "google-benchmark", .read = read_google_benchmark, .is_result = is_any_json},
    {.name = "pytest-benchmark", .read = read_pytest_benchmark, .is_result = is_any_json},
    {.name = "hyperfine", .read = read_hyperfine, .is_result = is_any_json},
    {.name = "asv", .read = read_asv, .is_result = is_result_of_asv, .companion = "benchmarks.json"},
    {.name = "pyperf", .read = read_pyperf, .is_result = is_any_json},
    {.name = "criterion", .read = read_criterion, .is_result = is_result_of_criterion, .is_one_run = true},
    {.name = "github-action-benchmark", .read = read_named_values, .is_result = is_any_json},
});

/// A time is none where it is below 0, or so long that nobody has waited for it.
bool is_believable(double seconds) {
  constexpr double kYears = 1e9;
  return seconds >= 0 && seconds < kYears;
}

/// "" where each execution ended as expected.
std::string failed_execution(const Benchmark& benchmark, const std::vector<int>& expected) {
  if (expected.empty()) return {};
  for (const std::optional<int>& code : benchmark.exit_codes) {
    if (!code) return "an execution was ended by a signal";
    if (!contains(expected, *code)) return fmt::format("an execution ended with exit code {}", *code);
  }
  return {};
}

/// Each once, ascending; nothing where one is not known.
std::optional<std::vector<int>> distinct_codes(const std::vector<std::optional<int>>& all) {
  std::set<int> codes;
  for (const std::optional<int>& code : all) {
    if (!code) return std::nullopt;
    codes.insert(*code);
  }
  return codes.empty() ? std::nullopt : std::optional(std::vector(codes.begin(), codes.end()));
}

CaseRecord case_of(Benchmark benchmark, const Results& results, std::string_view tool,
                   const std::vector<int>& expected_codes) {
  CaseRecord one;
  one.label = {benchmark.name.empty() ? "?" : benchmark.name};
  one.language = results.language;
  one.runtime = "explicit";
  one.autograd = "explicit";
  one.threads = benchmark.threads;
  one.params = std::move(benchmark.params);
  one.toolchain = tool;
  one.id = make_case_id({.label = one.label,
                         .language = one.language,
                         .runtime = one.runtime,
                         .autograd = one.autograd,
                         .threads = one.threads,
                         .params = one.params});
  one.definition.stmt = one.label.front();
  one.definition.digest =
      benchmark.version.empty() ? digest(one.id) : Digest().add(one.id).add(benchmark.version).hex();
  for (const auto& children = benchmark.by_child; const std::vector<double>& child : children) {
    if (!std::ranges::all_of(child, is_believable)) benchmark.failure = "its times are not believable";
  }
  if (benchmark.failure.empty()) benchmark.failure = failed_execution(benchmark, expected_codes);
  if (benchmark.failure.empty() && benchmark.by_child.empty()) benchmark.failure = "it has no times";
  if (!benchmark.failure.empty()) {
    one.status = CaseStatus::failed;
    one.failure = Failure{.stage = "time", .message = std::move(benchmark.failure)};
    return one;
  }
  one.status = CaseStatus::ok;
  const WallSamples samples{.number_per_run = benchmark.executions, .by_child = std::move(benchmark.by_child)};
  one.wall = summarize_wall(samples);
  one.flags = wall_flags(samples, Settings().precision);
  if (!benchmark.counters.empty()) one.counters = std::move(benchmark.counters);
  one.used = benchmark.used;
  if (one.used) one.used->exit_codes = distinct_codes(benchmark.exit_codes);
  return one;
}

}  // namespace

std::span<const ImportFormat> import_formats() { return kFormats; }

const ImportFormat* import_format(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &ImportFormat::name);
  return found == kFormats.end() ? nullptr : &*found;
}

Result<Import> import_results(const ImportFormat& format, std::span<const File> files, const ImportContext& context) {
  if (files.empty()) return fail(ErrorKind::input, fmt::format("no results of {}", format.name));
  std::vector<std::string> stale;
  std::vector<File> latest;
  if (format.is_one_run && !context.with_stale) {
    latest = of_latest_run(files, context.committed, stale);
    files = latest;
  }
  auto results = format.read(files);
  if (!results) return std::unexpected(results.error());
  std::ranges::move(stale, std::back_inserter(results->left_out));
  if (results->benchmarks.empty()) {
    return fail(ErrorKind::input,
                results->left_out.empty() ? "it has no benchmarks"
                                          : fmt::format("it has no times ({})", results->left_out.front()),
                files.front().path);
  }
  Import import{.record = {}, .left_out = std::move(results->left_out)};
  Record& record = import.record;
  record.tool = {.name = std::string(format.name), .version = results->tool_version};
  record.suite = context.suite.empty() ? std::string(format.name) : context.suite;
  record.started = record.finished = results->started.empty() ? context.started : results->started;
  record.settings.counts = false;
  record.machines = {results->machine};
  const std::string commit = context.commit.empty() ? results->commit : context.commit;
  if (!commit.empty()) record.source = Source{.commit = commit, .dirty = context.commit.empty() && results->is_dirty};
  std::set<std::string> ids;
  for (Benchmark& benchmark : results->benchmarks) {
    CaseRecord one = case_of(std::move(benchmark), *results, format.name, context.expected_codes);
    if (!ids.insert(one.id).second) {
      import.left_out.push_back(fmt::format("{}: another one has the same name", one.label.front()));
      continue;
    }
    record.cases.push_back(std::move(one));
  }
  Environment environment;
  environment.facts = std::move(results->facts);
  std::erase_if(environment.facts,
                [](const auto& fact) { return fact.second.find_first_not_of(' ') == std::string::npos; });
  environment.facts["results.of"] = format.name;
  // Times follow from it, and belong to one machine's series.
  environment.machine = std::map<std::string, std::string>{
      {"cpu", results->machine.cpu.empty() ? results->machine.name.value_or("") : results->machine.cpu}};
  record.environments[environment_name(format.name, record.cases.front().language)] = std::move(environment);
  set_fingerprints(record);
  return import;
}

}  // namespace tally::exchange
