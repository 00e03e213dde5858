/// `tally export --format FORMAT RECORD`: a record in another program's format.
///
/// Exit codes: 0 written, 1 it cannot be written, 2 wrong usage, an unreadable record, or one that has nothing that the
/// format could hold.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/context.h"
#include "cli/option_set.h"

namespace tally::cli {

struct ExportOptions {
  std::string record;
  std::string format;
  std::string output = "-";
};

void add_export_options(OptionSet& command, ExportOptions& options);
int run_export(const Context& context, const ExportOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
