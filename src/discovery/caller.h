/// The caller of a run, and what its user sees of the machine: this process for `tally run`, a client for a server.
#pragma once

#include <string>
#include <vector>

#include "process/process.h"

namespace tally {

struct Caller {
  EnvironmentVariables environment;  ///< Complete.
  std::string working_folder;
  std::vector<std::string> command;  ///< argv, for the record.
};

}  // namespace tally
