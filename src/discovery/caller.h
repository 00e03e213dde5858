/// Who wants a run: what of the machine its user sees. The user's own process for `tally run`; a client of a server's.
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
