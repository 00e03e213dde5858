/// `tally list SUITE` and `tally plan SUITE`: what would be measured, without measuring it.
#pragma once

#include "cli/context.h"
#include "cli/option_set.h"
#include "cli/run_options.h"
#include "cli/suite_source.h"

namespace tally::cli {

struct ListOptions {
  RunOptions run;
  SuiteSource source;
  bool json = false;
};

void add_list_options(OptionSet& command, ListOptions& options);
int run_list(const Context& context, const ListOptions& options, std::ostream& out, std::ostream& err);
int run_plan(const Context& context, const ListOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
