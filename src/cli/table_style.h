/// How a command that prints tables is to print them.
#pragma once

#include <string>

#include "cli/context.h"
#include "cli/option_set.h"
#include "report/text/table.h"

namespace tally::cli {

struct TableStyle {
  std::string color = "auto";
  int width = 0;  ///< In columns; 0: the terminal's.
};

void add_table_style(OptionSet& command, TableStyle& style);
RenderOptions rendering(const Context& context, const TableStyle& style);

}  // namespace tally::cli
