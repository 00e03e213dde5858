/// The living descendants of a process, from /proc, and signals to them.
///
/// A process that was orphaned belongs to the tree of its reaper (tally-supervisor, or init), not of its late parent.
/// Never signals a process that took over the number of a dead one: descendants are pinned by a pidfd and their
/// parentage is read again before the signal. Shared with tally-supervisor, hence std::vector and system calls only.
#pragma once

#include <sys/types.h>

#include <vector>

namespace tally {

struct TreeProcess {
  pid_t pid = 0;
  pid_t parent = 0;
};

/// The parent of a living process; -1 when it is gone or a zombie.
pid_t living_parent(pid_t pid);

/// Parents before their children, without `root`. What starts or ends meanwhile may be missed: repeat to be sure.
std::vector<TreeProcess> descendants(pid_t root);

/// Sends to every descendant of `root` (not to root itself), deepest first. How many got it.
int signal_descendants(pid_t root, int signal);

/// The same for `root` and then its descendants as they were before; `root` must be a process that the caller knows
/// not to have been reaped (a child of its own, or one held by a pidfd).
int signal_tree(pid_t root, int signal);

}  // namespace tally
