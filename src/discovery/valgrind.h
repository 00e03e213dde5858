/// Finds the Valgrind of a run, and which of its tools counts.
///
/// Callgrind follows each call, which is what most of its time goes into. Where no calls are wanted, a tool of ours
/// counts, to the same numbers (host/counter). The core of one version is inside, and its file says of which: without
/// that version, a launcher of ours starts it (host/launcher).
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "process/process.h"

namespace tally {

struct FoundValgrind {
  std::string path;                        ///< Empty: none is installed.
  std::string version;                     ///< Of that: "valgrind-3.24.0".
  std::string counter;                     ///< Our tool, without the platform that Valgrind adds; empty: there is none.
  std::string counter_version;             ///< Of the core in it: "valgrind-3.19.0"; empty: there is none.
  std::vector<std::string> counter_start;  ///< What it is put behind: the Valgrind that it was built for, or a launcher
                                           ///< of our own, where that is not installed.
};

/// `full`: the user's environment, whose PATH is looked through. An error (missing): there is none, and our counter
/// cannot do without it.
Result<FoundValgrind> find_valgrind(ProcessRunner& runner, const EnvironmentVariables& full,
                                    const EnvironmentVariables& filtered, const std::string& libexec);

}  // namespace tally
