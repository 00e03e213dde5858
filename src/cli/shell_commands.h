/// `tally completions SHELL` and `tally man [COMMAND…]`.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/option_set.h"

namespace tally::cli {

struct CompletionsOptions {
  std::string shell;
};
void add_completions_options(OptionSet& command, CompletionsOptions& options);
/// Of all that Context::program declares. The next likewise.
int run_completions(const Context& context, const CompletionsOptions& options, std::ostream& out, std::ostream& err);

struct ManOptions {
  std::vector<std::string> command;  ///< "history", "add"; none: the program's own page.
  std::string folder;                ///< Where all pages are written; empty: one is printed.
};
void add_man_options(OptionSet& command, ManOptions& options);
int run_man(const Context& context, const ManOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
