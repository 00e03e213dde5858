/// The facts of this machine and of a toolchain on it that a record stores: what may explain a difference.
#pragma once

#include "build/builder.h"
#include "record/record.h"

namespace tally {

Machine read_machine(int allowed_cpus);

/// Facts of a run that do not depend on a toolchain: "cpu", "glibc", "glibc.dispatch", "valgrind", …
std::map<std::string, std::string> common_facts(ProcessRunner& runner, const EnvironmentVariables& environment,
                                                const std::string& valgrind);

/// The common facts and the toolchain's own ("compiler", "python", "module.torch"), its subject's libraries by content,
/// and the fingerprint of each side.
Environment describe_toolchain(ProcessRunner& runner, const ResolvedToolchain& toolchain,
                               std::map<std::string, std::string> facts, const EnvironmentVariables& environment);

/// One fingerprint for a record with several toolchains.
Fingerprint combine(const std::map<std::string, Environment>& environments);

}  // namespace tally
