/// A benchmark program as a suite: what it lists, as definitions whose host it is.
#pragma once

#include <string>
#include <string_view>

#include "definition/read_suite.h"
#include "discovery/toolchains.h"

namespace tally {

/// Runs the program once, in the environment that its host will have, to list its benchmarks: "bench/sort" with a
/// parameter for each argument. The path may be relative to the environment's working folder. Errors (input): it is no
/// such program, it cannot be run or takes more than a minute, or it lists what cannot be a definition.
/// A program that needs Google Benchmark's shared library is made to serve by what lies in `libexec` for it.
Result<Suite> suite_of_program(ProcessRunner& runner, const Program& program, const RunEnvironment& environment,
                               const std::string& libexec);

/// The same of what a program has listed. `program` is absolute; `preload` makes it serve, or is empty.
Result<Suite> suite_of_list(const std::string& program, const std::string& preload, std::string_view list);

/// For the programs of suites. The caller's environment is looked at when the first of them is met. `runner` must live
/// as long as this.
ProgramLister program_lister(ProcessRunner& runner, std::string libexec, Caller caller, Tools tools, Settings settings);

/// Whether the file is an executable rather than text: it begins as one.
bool is_program(const std::string& path);

}  // namespace tally
