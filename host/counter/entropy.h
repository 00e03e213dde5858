/// The answers to a guest that asks for randomness: getrandom(), reads of /dev/random and /dev/urandom, the processor's
/// RDRAND and RDSEED, and the sixteen bytes that the kernel gives each program at its start.
///
/// The system is asked first, so that lengths and errors are its own, and what it wrote is written over. Owns the
/// process's stream; a forked process has one of its own, unless its parent has requested that it continue with the
/// parent's.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// Before the guest's first instruction.
void fix_start_bytes();

/// A stream of its own for a process that no host has begun; or the system answers.
void begin_entropy(ULong seed, bool answers);

/// After each system call of the guest's.
void write_over_randomness(UInt number, const UWord* arguments, SysRes result);

/// Valgrind's callbacks.
void entropy_before_fork_ends(ThreadId thread);  ///< In the parent.
void entropy_in_child(ThreadId thread);

/// False: it is no request of ours.
Bool handle_entropy_request(const UWord* request, UWord* result);

/// What is to be called in the place of this helper of Valgrind's, which asks the processor; null: that helper itself.
IRCallee* randomness_helper(const HChar* helper);

}  // namespace tally::counter
