/// A forked process that does not outlive the one that forked it.
#pragma once

#include <sys/types.h>

namespace tally::host {

/// In the child: it is killed when `parent`, whose main thread has forked it, ends however that may be. What the child
/// forks itself is not. Ends it at once where that has happened already.
void die_with(pid_t parent);

}  // namespace tally::host
