/// Writes what was counted since the last dump, and begins anew: a file in Callgrind's format.
///
/// It has the functions that instructions were executed in, without lines, and without calls unless they are followed
/// (calls.h); with an option, the instructions and direct calls of each (protocol/command_tree.h). As in Callgrind's
/// own files with
/// --skip-plt=yes, a linkage table's instructions are those of the function that calls through it.
///
/// Behind the total it says how many of the instructions repeat a string instruction (protocol/string_repetitions.h).
///
/// Of what is no region, but came before one, the file has the total alone: nobody reads it, and finding the names of
/// all that a setup executes takes longer than to execute it. But in a process that was not forked, a host that has
/// warmed up, names are looked up all the same: its cases will execute the same code, and Valgrind 3.24 reads an
/// object's separate debug file at the first request for a name (on Debian 13 each case child read those of PyTorch
/// anew: 0.25 s).
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// To "NAME.N", N counting from 1 in each process; %p in the name is the process.
void dump(const HChar* name, bool with_functions);

/// To this file, with functions and with these lines at its head.
void dump_to(const HChar* path, const HChar* head);

/// What comes before each cost in a dump, in Callgrind's words.
const HChar* positions();

/// Instructions that a dump would have now, of whatever function.
ULong collected();

/// Without a file.
void zero();

/// In a forked process.
void on_fork();

}  // namespace tally::counter
