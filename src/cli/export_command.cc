#include "cli/export_command.h"

#include <algorithm>
#include <array>
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
};

constexpr auto kFormats =
    std::to_array<ExportFormat>({{"bencher", exchange::to_bencher},
                                 {"github-action-benchmark", exchange::to_github_action_benchmark},
                                 {"google-benchmark", to_google_benchmark},
                                 {"hyperfine", to_hyperfine},
                                 {"csv", to_csv}});

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
  const Result<Record> record = load_record(options.record);
  if (!record) return refuse("export", record.error(), err);
  const auto was_measured = [](const CaseRecord& one) { return one.status == CaseStatus::ok; };
  if (std::ranges::none_of(record->cases, was_measured)) {
    return refuse("export",
                  {ErrorKind::input, "no case of it was measured, so there is nothing to write", options.record,
                   "see what failed: tally report"},
                  err);
  }
  const auto format = std::ranges::find(kFormats, options.format, &ExportFormat::name);
  if (const Status written = write_output(options.output, format->text(*record), out); !written)
    return refuse_output("export", written.error(), err);
  const auto left_out =
      record->cases.size() - static_cast<std::size_t>(std::ranges::count_if(record->cases, was_measured));
  if (left_out > 0) err << "tally export: " << left_out << " of " << record->cases.size() << " cases failed\n";
  return 0;
}

}  // namespace tally::cli
