/// Answers the guest's questions about its machine alike everywhere, where a program keeps the answer and no count
/// should depend on it. There are two processors; the machine is called localhost. stat() returns file numbers of
/// 65,536 and more, and for folders and blocks the same sizes on every disk; in a command it returns the truth.
///
/// The processors are the kernel's lists in /sys/devices/system/cpu. The C library reads them, and so do libraries that
/// distinguish kinds of processors. They keep arrays of as many items as there are processors, which moved 17 of 47
/// Python cases by up to 0.8 %. sched_getaffinity() still returns the truth.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// After each system call of the guest's.
void answer_for_machine(UInt number, const UWord* arguments, SysRes result);

}  // namespace tally::counter
