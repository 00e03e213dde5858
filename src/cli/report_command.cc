#include "cli/report_command.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>

#include "cli/refuse.h"
#include "records/kept_lines.h"
#include "records/record_files.h"
#include "report/html/report.h"
#include "report/json/google_benchmark.h"
#include "report/text/exports.h"

namespace tally::cli {

void add_report_options(OptionSet& sub, ReportCommandOptions& options) {
  sub.add("RECORD", &options.record, "Record to show").required();
  sub.add("BASE", &options.base, "Record to compare it with");
  sub.add("-o,--output", &options.output, "The page (default: the record's name with .html; - for standard output)");
  sub.add("--benchmark-json", &options.benchmark_json,
          "Write RECORD in Google Benchmark's JSON to this file (- for standard output), and a page only with --output")
      .value_name("FILE");
  sub.add("--title", &options.title, "Title of the page (default: the record's file name)");
}

int run_report(const Context& /*context*/, const ReportCommandOptions& options, std::ostream& out, std::ostream& err) {
  const Result<Record> record = load_record(options.record);
  if (!record) return refuse("report", record.error(), err);
  if (!options.benchmark_json.empty()) {
    const Status written = write_output(options.benchmark_json, to_google_benchmark(*record), out);
    if (!written) return refuse_output("report", written.error(), err);
    if (std::ranges::none_of(record->cases, [](const CaseRecord& one) { return one.wall.has_value(); }))
      err << "tally report: there are no times, and Google's compare.py reads nothing else; instructions are a "
             "counter\n";
    if (options.output.empty()) return 0;
  }
  HtmlReport report{.record = &*record, .name = options.title};
  if (report.name.empty()) report.name = std::filesystem::path(options.record).filename().string();
  std::optional<Record> base;
  std::optional<Comparison> comparison;
  if (!options.base.empty()) {
    Result<Record> read = load_record(options.base);
    if (!read) return refuse("report", read.error(), err);
    base = std::move(*read);
    report.kept = evidence_beside(*base, options.base, options.record, &err);
    comparison = compare(*base, *record, compare_options(), report.kept);
    report.comparison = &*comparison;
  } else {
    report.kept = evidence_beside(*record, options.record, options.record, &err);
  }
  std::string output = options.output;
  if (output.empty()) output = std::filesystem::path(options.record).replace_extension(".html").string();
  const Status written = write_output(output, render_html_report(report), out);
  if (!written) return refuse_output("report", written.error(), err);
  if (output != "-") out << output << '\n';
  return 0;
}

}  // namespace tally::cli
