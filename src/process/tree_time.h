/// How much processor time a tree of processes has used, and how long it has waited for a processor, from /proc.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace tally {

/// Of `root` and its living descendants, in user and system mode, in steps of the kernel's clock tick (10 ms). Those
/// that were reaped count with the process that waited for them.
std::chrono::milliseconds tree_time(pid_t root);

/// How long the threads of `root` and of its living descendants were ready to run while others had the processors. A
/// thread that has ended counts no more. 0 where the kernel does not report it.
std::chrono::milliseconds tree_queued(pid_t root);

}  // namespace tally
