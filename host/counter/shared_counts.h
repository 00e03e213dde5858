/// The counters of a command's process, in a file that outlives it (protocol/command_tree.h): so the counts of a
/// process that is killed are not lost.
///
/// Owns: which slot of that file is this process's. Where no such file is named, or it cannot be opened, counters stay
/// where they are.
#pragma once

#include "valgrind.h"

namespace tally::counter {

inline constexpr UInt kNoSlot = ~0U;

void name_shared_counts(const HChar* path);

/// Takes a slot, or this one that the process had before it executed another program, and moves the counters there: all
/// are zero then. False: there is none, and the counters are this process's own, and what they were.
bool share_counts(const HChar* place, UInt number, UInt slot);
UInt shared_slot();

/// The counts have been written to a file: their memory is freed, and, where the process ends, all of its slot.
void end_sharing(bool for_good);
/// It continues after all, in the same slot.
void continue_sharing(UInt number);

}  // namespace tally::counter
