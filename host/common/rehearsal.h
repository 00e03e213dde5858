/// A case that the host runs in its own process before it serves, so that case children inherit, under Valgrind, the
/// translations of all that a case goes through: taking the request, loading, both phases, a replicate's fork, its
/// dump.
///
/// The host plays the runner too: what the runner would say lies in the socket before the case begins.
#pragma once

#include "fork_server.h"

namespace tally::host {

/// Runs the `run_case` request in `request`, which goes through so many phases. With `counted` each of them counts
/// twice, in a fork and in itself, otherwise it only warms up. False when the case failed; the reason is then on
/// standard error.
bool rehearse(RunCase run_case, void* context, protocol::Writer& request, bool counted, int phases = 2);

}  // namespace tally::host
