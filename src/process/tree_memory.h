/// How much memory a tree of processes holds, from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace tally {

/// Anonymous memory (heap, stacks, private copies; not files) of `root`, a fork of `host`, and its descendants, beyond
/// what they share with the host, in bytes. Pages that forked processes still share count once: that needs
/// smaps_rollup, which takes milliseconds per GB and holds the process's memory lock, so it is read only when the plain
/// sum, which counts them in each process, is above `limit`. At or below `limit` the answer is thus an upper bound.
/// Pages of the host that a fork has written to count for the most part only. 0 when the tree is gone.
std::uint64_t tree_growth_bytes(pid_t root, pid_t host, std::uint64_t limit);

}  // namespace tally
