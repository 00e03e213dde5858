/// `tally merge PART… -o FILE`: the records of a plan's parts into one, with their profiles.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/option_set.h"
#include "record/merge.h"

namespace tally::cli {

struct MergeCommandOptions {
  std::vector<std::string> parts;
  std::string output;
  bool partial = false;
  bool per_environment = false;
};

void add_merge_options(OptionSet& command, MergeCommandOptions& options);
int run_merge(const Context& context, const MergeCommandOptions& options, std::ostream& out, std::ostream& err);

/// "3, 5-7", of rising numbers.
std::string ranges_text(const std::vector<int>& numbers);

}  // namespace tally::cli
