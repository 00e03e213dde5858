/// A child that shares its memory with a parent which waits until it executes a program or ends (vfork, and with it
/// posix_spawn).
///
/// Valgrind makes a fork of it. So the parent waits here, and gets what a child that ends without having executed a
/// program has written to the parent's stack: that is how posix_spawn learns why. Of commands alone.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// Before and after each system call of the guest's.
void begin_vfork(ThreadId thread, UInt number, const UWord* arguments);
void wait_for_vfork(UInt number, SysRes result);

/// In the child of any fork.
void vfork_in_child();
/// The process ends.
void end_vfork();

}  // namespace tally::counter
