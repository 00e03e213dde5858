/// `tally toolchains [NAME]`: the toolchains that every suite knows, and one of them as text for a custom suite.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/context.h"
#include "cli/option_set.h"

namespace tally::cli {

struct ToolchainsOptions {
  std::string name;  ///< Empty: list them.
  std::string as;    ///< What the text calls it; empty: as it is called.
};

void add_toolchains_options(OptionSet& command, ToolchainsOptions& options);
int run_toolchains(const Context& context, const ToolchainsOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
