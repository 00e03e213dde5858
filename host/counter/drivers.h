/// Hides drivers of devices from the guest: where it opens a file of the list that was given as an option, there is
/// none. A case is told to its runner the first time (MessageType::asked).
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// False: it is no option of ours.
Bool take_drivers_option(const HChar* argument);

/// After each system call of the guest's.
void hide_drivers(ThreadId thread, UInt number, const UWord* arguments, SysRes result);

/// In the child of a fork. The next of them that asks tells it again.
void forget_asked_drivers();

}  // namespace tally::counter
