/// A whole command: each process of its tree counts from its start to its end, and writes what it
/// executed to a file of its own (protocol/command_tree.h).
///
/// Owns: which process of the tree this one is, and its file. Where nothing asks for it (an option does), nothing here
/// does anything.
///
/// What a process of a command is answered: randomness by a stream that its place in the tree and the number of its
/// program begin, so that processes that do the same at a time do not meet (three `mktemp` at once); the time by
/// start_clock.h; and a read from a pipe, once it has got something, waits until there is as much as is wanted, the
/// writers are gone, or nothing has come for a while, because how much a pipe holds at a moment is another matter in
/// each run.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// False: it is no option of ours.
Bool take_command_option(const HChar* argument);
bool counts_command();

/// Once all options are known, before the program's first instruction.
void begin_command();

/// Before and after each system call of the guest's.
void note_call_of_command(ThreadId thread, UInt number, UWord* arguments);
void answer_command(ThreadId thread, UInt number, UWord* arguments, SysRes result);

/// A block is translated, for it is about to be executed for the first time.
void look_for_main(Addr block);

void command_forks();  ///< In the parent.
void command_in_child();
void end_of_command();

}  // namespace tally::counter
