/// A benchmark program as a suite: what it lists, as definitions whose host it is.
#pragma once

#include <string>

#include "definition/suite.h"
#include "run/caller.h"

namespace tally {

/// Runs the program once, to be told its benchmarks: "bench/sort" with a parameter for each argument. Errors (input):
/// it is no such program, it cannot be run or takes more than a minute, or it lists what cannot be a definition.
Result<Suite> suite_of_program(ProcessRunner& runner, const std::string& path, const Caller& caller);

/// The same of what a program has listed. `program` is absolute.
Result<Suite> suite_of_list(const std::string& program, std::string_view list);

}  // namespace tally
