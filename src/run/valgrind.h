/// The Valgrind of a run: which one it is, and which of its tools counts.
///
/// Callgrind follows each call, which is what most of its time goes into. Where no calls are wanted, a tool of ours
/// counts, to the same numbers (host/counter). It is built for one version of Valgrind, and its file says for which.
#pragma once

#include <string>

#include "base/error.h"
#include "process/process.h"

namespace tally {

struct FoundValgrind {
  std::string path;
  std::string version;  ///< "valgrind-3.19.0"
  std::string counter;  ///< Our tool, without the platform that Valgrind adds; empty: there is none for this version.
};

/// `full`: the user's environment, whose PATH is looked through. An error (missing): there is none.
Result<FoundValgrind> find_valgrind(ProcessRunner& runner, const EnvironmentVariables& full,
                                    const EnvironmentVariables& filtered, const std::string& libexec);

}  // namespace tally
