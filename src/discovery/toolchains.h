/// A plan's toolchains on this machine: the environment that they are used in, their compilers and interpreters,
/// whether these work.
#pragma once

#include <map>
#include <string>

#include "build/builder.h"
#include "discovery/caller.h"
#include "measurement/settings.h"
#include "plan/plan.h"

namespace tally {

/// What a user requested by name, instead of what toolchains say. Not among the settings that a record keeps.
struct Tools {
  std::string cxx;
  std::string python;
  std::string env_command;  ///< Bash text whose environment cases see.
  std::string here = {};    ///< Where a process listens whose forks count Python's statements (`tally exec`); empty:
                            ///< hosts are started.
  friend bool operator==(const Tools&, const Tools&) = default;
};

/// Builds and probes see the user's whole environment; only what is measured is kept small.
struct RunEnvironment {
  EnvironmentVariables full;
  EnvironmentVariables filtered;
  std::string working_folder;
};

/// What a command starts, as a shell would find it; empty where it finds none.
std::string started_file(const CommandLine& command, const EnvironmentVariables& environment);

Result<RunEnvironment> run_environment(ProcessRunner& runner, const Caller& caller, const Tools& tools,
                                       const Settings& settings);

/// A compiler, interpreter or environment that was requested by name and that does not work is an error (input). One
/// that toolchains chose fails its own cases, unless there are no others. `cache` remembers what has been tried.
Result<std::map<std::string, ResolvedToolchain>> resolve_toolchains(ProcessRunner& runner, const Plan& plan,
                                                                    const Tools& tools,
                                                                    const RunEnvironment& environment,
                                                                    const Cache& cache);

/// Which languages are wanted of a toolchain.
struct Needs {
  bool cpp = true;
  bool python = true;
};

/// One toolchain: its interpreter asked what it imports, its compiler found. What does not work says why.
ResolvedToolchain resolve_toolchain(ProcessRunner& runner, const Toolchain& spec, Needs needs,
                                    const RunEnvironment& environment, const Cache& cache);

}  // namespace tally
