/// The specification of a Python host: how its interpreter is started, and which of the user's surroundings reach that
/// start. The texts that it runs are in host/python.
#pragma once

#include "hosts/host_spec.h"

namespace tally {

/// Whether the counter may list folders as protocol/first_modules.h has it until the host's first stage: for
/// interpreters whose start is known to import no more.
bool begins_with_first_modules(const ResolvedToolchain& toolchain, const HostKind& kind,
                               const EnvironmentVariables& environment);

/// Adds the interpreter with its arguments, tally's own files, what is set late, and where it starts. `toolchain` must
/// have an interpreter; `spec` has its environment already.
void add_python(HostSpec& spec, const ResolvedToolchain& toolchain, const HostKind& kind,
                const HostSurroundings& around);

}  // namespace tally
