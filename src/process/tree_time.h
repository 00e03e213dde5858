/// How much processor time a tree of processes has used, from /proc.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace tally {

/// Of `root` and its living descendants, in user and system mode, in steps of the kernel's clock tick (10 ms). Those
/// that were reaped count with the process that waited for them.
std::chrono::milliseconds tree_time(pid_t root);

}  // namespace tally
