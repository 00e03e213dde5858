/// The statements that `tally trace record` records, of a suite or of the command line, with all that runs around them.
///
/// Owns: which cases are meant, what of their toolchain they need, the names of their files. Runs nothing.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "definition/toolchain.h"
#include "recording/request.h"

namespace tally {

struct TracedStatement {
  std::string id;
  std::string file;  ///< Its files' name, without an ending.
  int threads = 1;
  std::string setup;
  std::string stmt;
  Toolchain toolchain;    ///< With torch among what it requires.
  std::string load = {};  ///< Brings values before the setup.
};

struct TracedStatements {
  std::vector<TracedStatement> all;
  std::size_t skipped = 0;  ///< Cases that are not Python in eager mode.
};

Result<TracedStatements> traced_statements(const RecordingRequest& options);

}  // namespace tally
