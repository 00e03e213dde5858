/// `tally init`: writes the first suite, benchmark program or Python benchmarks into a project, ready to run.
///
/// Everything goes into the project's folder benchmarks/. A file that is there already is never written: exit code 2.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "cli/context.h"
#include "cli/init_files.h"
#include "cli/option_set.h"

namespace tally::cli {

struct InitOptions {
  std::string folder = ".";        ///< Of the project.
  std::optional<Starter> starter;  ///< None: by what the project is.
};

void add_init_options(OptionSet& command, InitOptions& options);
/// Prints the files and the command to type next on `out`.
int run_init(const Context& context, const InitOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
