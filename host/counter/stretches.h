/// What is counted: how often each stretch of guest code was executed.
///
/// A *stretch* is what Valgrind's translation of a block executes from one place where the block can be left to the
/// next: all of its instructions, or none, unless one of them faults (a handled SIGSEGV of a garbage collector's: what
/// that stretch had executed by then is not counted). So one counter for each covers every instruction that was
/// executed, and what a region costs is the sum of counts times lengths. Counters lie side by side: to find those that
/// moved, a few hundred thousand are looked through in a fraction of a millisecond, and a forked child copies the pages
/// that it counts in.
///
/// Owns the counters, for as long as the process lives; a forked process continues with what its parent had counted.
#pragma once

#include "valgrind.h"

namespace tally::counter {

struct Stretch {
  Addr block = 0;         ///< Where its block begins: which function it is of.
  Addr next = 0;          ///< Where it always continues; 0: that differs.
  UInt instructions = 0;  ///< Of one execution.
  Bool hops = False;      ///< It ends in a computed jump, neither a call nor a return.
  Bool repeats = False;   ///< It has no instruction, and its executions are repetitions of a string instruction.
  UShort unmapped = 0;    ///< Which library it was of that is unmapped by now (names.h); 0: its code is there.
};

/// Stretches that a process can have; a translation that is made again has new ones. What lies unused costs no memory.
inline constexpr UInt kMostStretches = 4U << 20U;

void reserve_stretches();

/// Numbered from 1. The counter of number 0 is that of all instructions, where calls are followed (calls.h).
UInt add_stretch(const Stretch& stretch);
UInt stretches();
const Stretch& stretch(UInt number);
void note_unmapped(UInt number, UShort library);

/// Keeps where each instruction lies, of all stretches that are added from now on.
void keep_instructions();
bool keeps_instructions();
/// The next one of the stretch that is about to be added.
void add_instruction(Addr at);
/// Of a stretch, in the order in which they are executed; as many as it has.
const Addr* instructions_of(UInt number);

/// By a thread that collects, whichever runs.
void add_execution(UInt number);
/// Executions since they were last taken while the thread collected.
ULong executions(UInt number);
/// The same, and takes them.
ULong take_executions(UInt number);

/// Where the counters of threads that collect lie, for callers that keep others.
Addr collected_counters();
/// Calls `note` for each stretch that is added from now on; null: calls nothing.
void note_stretches(void (*note)(UInt number, UInt instructions));

/// Where the running thread's executions go: an array of counters, by number. Translations load it in each block.
extern ULong* g_counters;  // NOLINT(bugprone-dynamic-static-initializers): constant, in stretches.cc
/// Makes it that of threads that collect, or of those that do not.
void count_for(bool collects);

}  // namespace tally::counter
