#include "cli/export_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <functional>
#include <ostream>

#include "cli/refuse.h"
#include "exchange/export.h"
#include "records/record_files.h"
#include "report/json/google_benchmark.h"
#include "report/text/command_report.h"
#include "report/text/exports.h"

namespace tally::cli {

namespace {

struct ExportFormat {
  const char* name;
  std::string (*text)(const Record& record);
  /// Whether the format has a figure of this case, which is "ok".
  bool (*has_figures)(const CaseRecord& one);
};

bool was_measured(const CaseRecord& one) { return one.status == CaseStatus::ok; }
bool is_counted_or_timed(const CaseRecord& one) { return one.counts || one.wall; }
bool is_a_line(const CaseRecord& /*one*/) { return true; }

constexpr auto kFormats = std::to_array<ExportFormat>(
    {{"bencher", exchange::to_bencher, exchange::has_service_figures},
     {"github-action-benchmark", exchange::to_github_action_benchmark, exchange::has_service_figures},
     {"google-benchmark", to_google_benchmark, has_google_benchmark_figures},
     {"hyperfine", to_hyperfine, is_counted_or_timed},
     {"csv", to_csv, is_a_line}});

}  // namespace

void add_export_options(OptionSet& command, ExportOptions& options) {
  std::vector<std::string> names;
  names.reserve(kFormats.size());
  for (const ExportFormat& format : kFormats) names.emplace_back(format.name);
  command.add("RECORD", &options.record, "Record to write").required();
  command.add("--format", &options.format, "What to write it as").one_of(names).required();
  command.add("-o,--output", &options.output, "File to write (-: standard output)").value_name("FILE").shows_default();
}

int run_export(const Context& /*context*/, const ExportOptions& options, std::ostream& out, std::ostream& err) {
  Result<Record> record = load_record(options.record);
  if (!record) return refuse("export", record.error(), err);
  const auto format = std::ranges::find(kFormats, options.format, &ExportFormat::name);
  const std::size_t all = record->cases.size();
  // What CSV has for each case begins with its status.
  const std::size_t failed = all - static_cast<std::size_t>(std::ranges::count_if(record->cases, was_measured));
  if (failed == all) {
    return refuse("export",
                  {ErrorKind::input, "no case of it was measured, so there is nothing to write", options.record,
                   "see what failed: tally report"},
                  err);
  }
  if (options.format != "csv") std::erase_if(record->cases, std::not_fn(was_measured));
  const std::size_t without = std::erase_if(record->cases, std::not_fn(format->has_figures));
  if (record->cases.empty()) {
    return refuse("export",
                  {ErrorKind::input, fmt::format("no case of it has a figure that {} knows", options.format),
                   options.record, "write another format, such as csv"},
                  err);
  }
  if (const Status written = write_output(options.output, format->text(*record), out); !written)
    return refuse_output("export", written.error(), err);
  if (failed > 0) fmt::print(err, "tally export: {} of {} cases failed\n", failed, all);
  if (without > 0) {
    fmt::print(err, "tally export: {} of {} cases have no figure that {} knows, and are left out\n", without, all,
               options.format);
  }
  return 0;
}

}  // namespace tally::cli
