/// The specification of the host of commands: a part of hosts/host_spec.h.
#pragma once

#include "hosts/host_spec.h"

namespace tally {

/// The host itself is no guest of Valgrind's; what counts, it puts each command under. `flags` are those of Valgrind
/// with our counter; empty where times are taken.
void add_command_host(HostSpec& spec, const std::vector<std::string>& flags, const HostSurroundings& around);

}  // namespace tally
