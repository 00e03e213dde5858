/// `tally table`: the cases of one record against each other, and how they grow.
///
/// Exit codes: 0 fine, 2 wrong usage, an unreadable record or an axis that no case has.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/option_set.h"
#include "cli/table_style.h"

namespace tally::cli {

struct TableCommandOptions {
  std::string record;
  std::vector<std::string> rows;     ///< Axes, several of them in one word with commas; empty: see PivotRequest.
  std::vector<std::string> columns;  ///< The same.
  std::string metric = "instructions";
  bool best = false;
  bool json = false;
  std::string csv;
  std::string markdown;
  TableStyle style;
};

void add_table_options(OptionSet& sub, TableCommandOptions& options);
int run_table(const Context& context, const TableCommandOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
