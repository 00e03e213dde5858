#include "cli/compare_command.h"

#include <ostream>

#include "cli/refuse.h"
#include "records/kept_lines.h"
#include "records/record_files.h"
#include "report/json/comparison_json.h"
#include "report/text/comparison_table.h"
#include "report/text/exports.h"

namespace tally::cli {

void add_compare_options(OptionSet& sub, CompareCommandOptions& options) {
  sub.add("BASE", &options.base, "Record to compare with").required();
  sub.add("NEW", &options.next, "Record to judge").required();
  sub.add("--all", &options.all, "Also show unchanged cases");
  sub.add("--denoise", &options.denoise, kDenoiseHelp);
  sub.add("--functions", &options.functions,
          "Show which functions and allocations changed (needs profiles: tally run --profiles)");
  sub.add("--top", &options.top, "Functions to show for each case").shows_default().positive();
  sub.add("--json", &options.json, "Print the comparison as JSON");
  sub.add("--csv", &options.csv, "Also write the comparison as CSV to this file (-: standard output)");
  sub.add("--markdown", &options.markdown,
          "Also write it as Markdown for a pull request to this file (-: standard output)");
  sub.footer =
      "Counts decide where both records have them: a change beyond the case's noise floor is a verdict. A "
      "changed\nenvironment is named, and softens the verdict.\n"
      "Exit codes: 0 compared, 1 a case failed or is gone, 2 an unreadable record. See docs/guides/compare.md.";
  add_table_style(sub, options.style);
}

int report_comparison(const Comparison& comparison, const CompareCommandOptions& options, const RenderOptions& render,
                      std::ostream& out, std::ostream& err) {
  if (options.json) {
    out << to_json(comparison, nullptr);
  } else if (options.csv != "-" && options.markdown != "-") {
    out << render_comparison(comparison,
                             {.options = render, .all = options.all, .functions = options.functions ? options.top : 0});
  }
  const std::pair<const std::string&, std::string> files[] = {
      {options.csv, to_csv(comparison)},
      {options.markdown, to_markdown(comparison, nullptr, options.functions ? options.top : 0)}};
  if (const Status written = write_outputs(files, out); !written) return refuse_output("compare", written.error(), err);
  const std::size_t gone = options.gone_is_failure ? comparison.count(Verdict::gone) : 0;
  return comparison.count(Verdict::failed) + gone > 0 ? 1 : 0;
}

int run_compare(const Context& context, const CompareCommandOptions& options, std::ostream& out, std::ostream& err) {
  const Result<Record> base = load_record(options.base);
  const Result<Record> next = load_record(options.next);
  for (const Result<Record>* record : {&base, &next}) {
    if (!*record) return refuse("compare", record->error(), err);
  }
  const Comparison comparison =
      compare(*base, *next, compare_options(options.denoise), evidence_beside(*base, options.base, options.next, &err));
  return report_comparison(comparison, options, rendering(context, options.style), out, err);
}

}  // namespace tally::cli
