/// The life of a host: say hello, then fork a case child for every request, reap what it forked, and report it.
///
/// A host must have one thread when it forks; the number is checked before each fork and reported with it. One that has
/// more runs the requested case itself, and ends with it. Between
/// requests the host's heap does not move, so that the hundredth case starts from the same state as the first.
#pragma once

#include "channel.h"
#include "protocol/descriptors.h"

namespace tally::host {

struct HostIdentity {
  const char* language;  ///< "cpp" or "python"
  const char* version;   ///< Of the interpreter, or of the compiler that made the host.
};

/// Runs in the forked child, fully configured; the child exits when it returns.
using RunCase = void (*)(void* context, Channel channel, const protocol::Message& request);

/// From its start this host has what another process of the same image would not find.
void leave_no_image();

/// Serves until the runner closes the control socket; returns the process's exit code. Forked children never return
/// from it.
int serve(const HostIdentity& identity, RunCase run_case, void* context, int control_socket = protocol::kControlSocket);

}  // namespace tally::host
