/// What a host wants to know of the case that is running: whether it asks for the time of day or for the number
/// of its process or thread, whether it starts a process while it is counted, and which file it changes first (opens
/// for writing or writes into, makes, renames or removes).
///
/// Monotonic clocks count as no time of day: benchmark libraries read them around each loop. What is no regular file (a
/// pipe, a terminal, /dev/null) and what the kernel makes up (/proc) is nobody's to share. Nothing is looked at before
/// a host has asked. What the guest starts with exec runs without the counter: nothing of what it does is seen.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// Files whose paths begin so are an observer's, and none that a case changes.
void leave_out_files_of(const HChar* beginning);

/// After each system call of the guest's.
void watch_syscall(ThreadId thread, UInt number, const UWord* arguments, SysRes result);

/// What is to be called in the place of this helper of Valgrind's, which reads the processor's clock; null: that helper
/// itself.
IRCallee* clock_helper(const HChar* helper);

/// False: it is no request of ours.
Bool handle_watch_request(ThreadId thread, const UWord* request, UWord* result);

}  // namespace tally::counter
