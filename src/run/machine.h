/// The facts of this machine and of a toolchain on it that a record stores: what may explain a difference.
#pragma once

#include "build/builder.h"
#include "build/file_digests.h"
#include "record/record.h"

namespace tally {

Machine read_machine(int allowed_cpus);

/// Beside the facts of a machine: "carried", where Python's libraries came with an image from another one.
inline constexpr std::string_view kPythonLibraries = "python.libraries";

/// What the machine is called: by Slurm where that runs us (one host may be several nodes), else in its network.
std::string machine_name(const EnvironmentVariables& environment);

/// Environment::machine of this one.
std::map<std::string, std::string> machine_facts(ProcessRunner& runner, const EnvironmentVariables& environment);

/// "gpu" and "gpu.driver" of NVIDIA's cards, by what their driver says in `folder`; none where it is not
/// there. A container has those of the cards that it may use.
std::map<std::string, std::string> gpu_facts(const std::string& folder = "/proc/driver/nvidia");

/// Where the interpreter's environment lies, of the interpreter's path: "/home/x/venv" of "/home/x/venv/bin/python3".
std::string folder_of_environment(const std::string& interpreter);

/// Which of the processor's features a counted process finds: those that Valgrind looks for and that are there, by
/// their names in /proc/cpuinfo. All else that it says of the processor is the same everywhere.
std::string offered_by_valgrind();

/// Facts of a run that counts: "counting" and "cpu.offered". `is_marked`: its counts are compared with their like
/// alone, because Callgrind took them.
std::map<std::string, std::string> counting_facts(bool is_marked);

/// Facts of a run that do not depend on a toolchain: "glibc", "valgrind" (where there is one), …
std::map<std::string, std::string> common_facts(const EnvironmentVariables& environment,
                                                const std::string& valgrind_version);

/// The common facts, and the toolchain's own in one language ("compiler", "python", "module.torch", "torch/**.py", what
/// was discovered), and its subject as far as it can be known before a host has started. `toolchain` must have been
/// resolved for that language.
Environment describe_environment(ProcessRunner& runner, const ResolvedToolchain& toolchain, Language language,
                                 std::map<std::string, std::string> facts, const EnvironmentVariables& environment,
                                 FileDigests& digests);

}  // namespace tally
