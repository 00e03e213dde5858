/// The cases of one record as a table: what `tally run` prints. Pure; see table.h for width and colour.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "record/record.h"
#include "report/text/table.h"

namespace tally {

/// How a run's table is to look.
struct RunTableView {
  std::vector<std::string> columns = {};  ///< Their names, in order; none: those that the record has figures for.
  std::string sort = {};                  ///< By which; "-time" has the largest first; empty: the plan's order.
  bool denoised = false;  ///< Counts without known interpreter noise stand beside the whole ones, if none are chosen.
};

/// The names of all columns, with commas between.
std::string run_column_names();
/// An error (input) names a column that there is not, and those that there are.
Status check_view(const RunTableView& view);

/// What `tally run` prints: a line for each case, failures below with message and reproduce command, then a summary.
std::string render_run_table(const Record& record, const RenderOptions& options, const RunTableView& view = {});
/// The table alone, as Markdown.
std::string run_table_markdown(const Record& record, const RunTableView& view = {});

}  // namespace tally
