/// `tally explain BASE NEW [CASE]`: why cases became slower, or faster, on one screen each.
///
/// Without a case, those that moved, the largest change first. With --again each side is measured once more with
/// simulated caches and branches: what explains a time that does not follow the count.
/// Exit codes: 0 explained; 2 wrong usage, an unreadable record, a case that one of them lacks.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/option_set.h"
#include "cli/table_style.h"

namespace tally::cli {

struct ExplainOptions {
  std::string base;
  std::string next;
  std::string only;     ///< A case's id, or what means one; empty: those that moved.
  std::size_t top = 3;  ///< Cases; 0: all.
  bool denoise = false;
  std::string again;                           ///< A suite or a program to measure with again, or empty.
  std::string a;                               ///< How the base's environment is made, as in tally ab.
  std::string b;                               ///< And the new record's.
  std::string b_program;                       ///< Instead of `again`, for the new side.
  std::vector<std::string> program_args = {};  ///< Of the programs.
  std::string cores;
  bool json = false;
  std::string markdown;
  TableStyle style;
};

void add_explain_options(OptionSet& sub, ExplainOptions& options);
int run_explain(const Context& context, const ExplainOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
