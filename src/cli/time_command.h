/// `tally time STMT`: one statement, counted and timed, without a suite.
#pragma once

#include "cli/context.h"
#include "cli/run_options.h"

namespace tally::cli {

struct TimeOptions {
  RunOptions run;
  std::string stmt;
  std::string setup;
  std::string global_setup;
  std::string language = "cpp";
  std::string toolchain;
  std::string device;  ///< Empty: where its text says.
  std::string flush;   ///< Empty: as if "none".
  int threads = 1;
  std::string json;
};

void add_time_options(OptionSet& command, TimeOptions& options);
int run_time(const Context& context, const TimeOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
