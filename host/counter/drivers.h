/// Hides drivers of devices from the guest: a file of the list, which is an option, cannot be opened. The first time
/// that a process of a case tries, its runner gets a message (MessageType::asked).
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// False: it is no option of ours.
Bool take_drivers_option(const HChar* argument);

/// After each system call of the guest's.
void hide_drivers(ThreadId thread, UInt number, const UWord* arguments, SysRes result);

/// To be called in the child of a fork, which reports for itself.
void forget_asked_drivers();

}  // namespace tally::counter
