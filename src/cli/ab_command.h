/// `tally ab SUITE`: two environments, toolchains, compilers, interpreters, benchmark programs or commands, measured in
/// turns and compared.
///
/// Passes alternate A, B, A, B, …, so that what drifts on the machine falls on both; the passes of a side are pooled.
/// What differs between the sides is what is being asked about: it is named and softens no verdict.
/// With --same-result each statement is also executed once on each side, and what it leaves must be the same text.
/// Exit codes: 0 compared; 1 a case failed, or the results of one differ; 2 wrong usage; 130 interrupted.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/compare_command.h"
#include "cli/context.h"
#include "cli/option_set.h"
#include "cli/run_options.h"

namespace tally::cli {

struct AbSide {
  std::string env_command;
  std::string program;    ///< Instead of the suite's one program, or without a suite.
  std::string command;    ///< A whole command, as a shell reads it; without a suite.
  std::string toolchain;  ///< Instead of the cases' own.
  std::string cxx;
  std::string python;
  std::string json;  ///< Keeps the record here.
  [[nodiscard]] bool says_nothing() const {
    return env_command.empty() && program.empty() && command.empty() && toolchain.empty() && cxx.empty() &&
           python.empty();
  }
};

struct AbOptions {
  std::string suite;
  AbSide a;
  AbSide b;
  int rounds = 2;
  bool same_result = false;
  RunOptions run;
  CompareCommandOptions report;  ///< Without its paths of records.
};

void add_ab_options(OptionSet& sub, AbOptions& options);
int run_ab(const Context& context, const AbOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
