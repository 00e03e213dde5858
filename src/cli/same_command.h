/// `tally same`: whether two records read the same, to the instruction.
///
/// Exit codes: 0 all are equal; 3 some are not; 2 wrong usage, an unreadable record, or a case that was not compared.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/context.h"
#include "cli/option_set.h"

namespace tally::cli {

struct SameOptions {
  std::string first;
  std::string second;
};

void add_same_options(OptionSet& sub, SameOptions& options);
int run_same(const Context& context, const SameOptions& given, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
