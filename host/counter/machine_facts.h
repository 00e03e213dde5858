/// What the guest hears of the machine that it runs on, where programs keep the answer and nothing that is counted
/// should depend on it: how many processors there are (two), what the machine is called (localhost), and what
/// stat() says of a file that its disk decides: its numbers (those below 65,536 are raised), the size of a folder, and
/// the blocks that a file lies in.
///
/// The processors are those of the kernel's lists in /sys/devices/system/cpu, which the C library and libraries that
/// look for processors' kinds read; who asks which ones it may run on (sched_getaffinity) hears the truth. Libraries
/// keep arrays of as many items as there are processors: 17 of 47 Python cases moved by up to 0.8 %.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// After each system call of the guest's.
void answer_for_machine(UInt number, const UWord* arguments, SysRes result);

}  // namespace tally::counter
