/// Whose executions count: each thread of the program collects, or does not, and is born collecting.
///
/// Valgrind runs one thread at a time, so the counters in use are changed whenever it changes the thread.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// After Valgrind's options are known: how many threads there can be is one.
void reserve_threads();

/// Valgrind's callbacks: the thread that is about to run, and one that is about to exist.
void on_start(ThreadId thread, ULong blocks);
void on_create(ThreadId parent, ThreadId child);

/// Whether a system call makes a thread of this process.
bool is_new_thread(UInt number, const UWord* arguments);
/// Before a system call: where it makes a thread for which Valgrind has no room, which ends the process, and of a
/// forked one without a word, standard error says so.
void explain_too_many_threads(UInt number, const UWord* arguments);

/// In a forked process, before Valgrind clears what it keeps of each thread that there could be, until a thread starts:
/// it need clear those only that there ever were. One page for each of 500 made a fifth of a run's page faults.
void forget_unused_threads();

/// The running thread collects, or no longer.
void toggle_collecting(ThreadId thread);
Bool is_collecting(ThreadId thread);

/// Called by a block whose last instruction is a client request. It is counted when its thread reaches the next such
/// block, as Callgrind counts a block when the next one begins: so it belongs to the region that the request begins,
/// and totals agree to the instruction.
VG_REGPARM(1) void count_after_request(UWord number);

/// Counts those blocks of all threads but one, which asks for a dump: they have long gone on.
void settle_others(ThreadId thread);
/// Counts none of them: instrumentation stops, and Callgrind sees no next block.
void forget_requests();

}  // namespace tally::counter
