/// A benchmark program in Python as a suite: what its framework collects, as definitions whose host it is.
#pragma once

#include <string>
#include <string_view>

#include "definition/suite.h"
#include "discovery/toolchains.h"

namespace tally {

/// Starts the interpreter once, natively and in the environment that its host will have, as that host; it collects the
/// benchmarks, lists them, and ends. Errors (input): no interpreter has the framework, the program ends before it has
/// collected, takes more than five minutes, or has no benchmarks.
Result<Suite> suite_of_python_program(ProcessRunner& runner, const Program& program, const Tools& tools,
                                      const RunEnvironment& environment, const std::string& libexec);

/// The same of what has been listed, a line each; what is a whole command there is one here
/// (host/python/tally_program.py writes them).
Result<Suite> suite_of_python_list(const Program& program, Toolchain toolchain, std::string_view list);

}  // namespace tally
