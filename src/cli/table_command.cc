#include "cli/table_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/text.h"
#include "cli/refuse.h"
#include "comparison/pivot.h"
#include "records/record_files.h"
#include "report/json/pivot_exports.h"
#include "report/text/pivot_table.h"

namespace tally::cli {
namespace {

std::vector<std::string> axes_in(const std::vector<std::string>& words) {
  std::vector<std::string> axes;
  for (const std::string& word : words) {
    for (const std::string_view axis : split(word, ',')) axes.emplace_back(trim(axis));
  }
  return axes;
}

/// Says how the metric would have been measured.
std::string how_to_measure(Metric metric) {
  switch (metric) {
    case Metric::time:
      return "measure without --counts-only";
    case Metric::cycles:
      return "measure with --cache-sim or --branch-sim";
    case Metric::kernels:
    case Metric::device_time:
    case Metric::launch_time:
      return "measure cases that work on a device";
    case Metric::memory:
      return "only commands have it, which are to be measured without --counts-only, and peakmem_* of asv";
    case Metric::value:
      return "only benchmarks that report a figure have it: track_* and mem_* of asv";
    case Metric::denoised:
      return "only Python's counts are denoised";
    default:
      return "measure without --wall-only";
  }
}

Result<Pivot> pivot_of(const Record& record, const TableCommandOptions& options) {
  const Metric metric = metric_named(options.metric).value_or(Metric::instructions);
  Result<Pivot> result =
      pivot(record, {.rows = axes_in(options.rows), .columns = axes_in(options.columns), .metric = metric});
  if (!result) {
    result.error().where = options.record;
    return result;
  }
  if (std::ranges::none_of(record.cases, [&](const CaseRecord& one) { return metric_of(one, metric).has_value(); })) {
    return fail(ErrorKind::input, fmt::format("no case has a value of '{}'", options.metric), options.record,
                how_to_measure(metric));
  }
  return result;
}

}  // namespace

void add_table_options(OptionSet& sub, TableCommandOptions& options) {
  sub.add("RECORD", &options.record, "Record whose cases to compare").required();
  sub.add("--rows", &options.rows,
          "Axes for the rows, such as label or n,language (default: all in which cases differ)")
      .value_name("AXIS")
      .one_each();
  sub.add("--columns", &options.columns,
          "Axes for the columns (default: the axis that puts the most cases side by side, numbers first)")
      .value_name("AXIS")
      .one_each();
  const auto names = metric_names();
  sub.add("--metric", &options.metric, "Metric to show").one_of({names.begin(), names.end()}).shows_default();
  sub.add("--best", &options.best, "Mark the best and the worst value of each row");
  sub.add("--json", &options.json, "Print the table as JSON");
  sub.add("--csv", &options.csv, "Also write the table as CSV to this file (-: standard output)");
  sub.add("--markdown", &options.markdown, "Also write the table as Markdown to this file (-: standard output)");
  sub.footer =
      "An axis is label, language, runtime, autograd, threads or the name of a parameter. Along a numeric axis, O(1) "
      "to\n"
      "O(n³) are fitted. See docs/guides/table.md.";
  add_table_style(sub, options.style);
}

int run_table(const Context& context, const TableCommandOptions& options, std::ostream& out, std::ostream& err) {
  const Result<Record> record = load_record(options.record);
  if (!record) return refuse("table", record.error(), err);
  const Result<Pivot> pivot = pivot_of(*record, options);
  if (!pivot) return refuse("table", pivot.error(), err);
  if (options.json) {
    out << to_json(*pivot);
  } else if (options.csv != "-" && options.markdown != "-") {
    out << render_pivot(*pivot, rendering(context, options.style), options.best);
  }
  const std::pair<const std::string&, std::string> files[] = {{options.csv, to_csv(*pivot)},
                                                              {options.markdown, to_markdown(*pivot, options.best)}};
  if (const Status written = write_outputs(files, out); !written) return refuse_output("table", written.error(), err);
  return 0;
}

}  // namespace tally::cli
