/// Follows calls, so that a dump has who calls whom: for each pair of functions how often one called the other, and
/// what the calls cost with all that they called.
///
/// Each block reports itself as it begins. A stack of frames for each thread has what was called and has not returned;
/// the stack pointer says which frames are gone, so exceptions and longjmp() need no notice. A jump to the beginning of
/// another function, or into another function, is a call that returns when its caller does. What a linkage table
/// executes belongs to the function that calls through it. Costs are those of the function that has the instruction, as
/// without calls; code without a symbol belongs to where it was called.
///
/// What was called before a dump and has not returned by the next one costs what it cost in between, and counts as no
/// call. The functions that following began in, and those that they return to, are called by one that has no
/// instructions (protocol/followed_calls.h). A call counts where its thread collects.
///
/// Owns the functions, the calls and the stacks, from the request on.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// Calls are followed from here on, in what is translated from here on. With `python`, functions of Python are
/// separated by their callers.
void follow_calls(bool python);
bool follows_calls();

/// What a block that begins there is to report.
const void* block_to_follow(Addr at);
/// Called by each block as it begins: what block_to_follow() made of it, and the stack pointer.
void enter_block(const void* block, Addr stack_pointer);
/// A block that ends in a call, a return or a client request stores such a value here before it is left at its end. Of
/// the last kind, the instructions that are to be counted when the thread continues.
extern UInt g_leaving;  // NOLINT(bugprone-dynamic-static-initializers): constant, in calls.cc
UInt leaving_of(IRJumpKind kind, UInt instructions);

/// Valgrind's callbacks.
void follow_thread(ThreadId thread);
void follow_new_thread(ThreadId thread);
void before_signal(ThreadId thread, Int signal, Bool alternate_stack);
void after_signal(ThreadId thread, Int signal);
/// In a forked process: other threads are not there.
void follow_fork(ThreadId thread);
/// Instrumentation stops: the block that requested it is not counted.
void forget_followed_requests();

/// Writes functions and calls; begins anew.
void write_calls(VgFile* file);
/// Begins anew.
void forget_calls();

}  // namespace tally::counter
