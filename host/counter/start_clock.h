/// The time that passes while a host starts: a microsecond with each look at a clock, and what was slept.
///
/// Libraries look at the clock when they are loaded. One measures how fine its timer is, and allocated another number
/// of blocks in each start: all that was loaded after it lay elsewhere, and LSTM moved by 0.14 %. Clocks begin with the
/// time that it is, so that moments of the start lie before those of its cases. From the first thread on, and once the
/// host can serve, clocks are the system's.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// Before and after each system call of the guest's.
void note_wait(UInt number, const UWord* arguments);
void answer_for_clock(UInt number, const UWord* arguments, SysRes result);

/// What the processor's counter reads; for case_watch.h, whose helper stands in its place.
ULong start_ticks();
bool keeps_start_clock();

/// A thread is made, or the host can serve: nothing is answered any more.
void end_start_clock();

}  // namespace tally::counter
