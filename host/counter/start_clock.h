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
void answer_for_clock(ThreadId thread, UInt number, const UWord* arguments, SysRes result);

/// What the processor's counter reads; for case_watch.h, whose helper stands in its place.
ULong start_ticks();
bool keeps_start_clock();

/// A thread is made, or the host can serve: nothing is answered any more.
void end_start_clock();

/// An option: from the beginning of a case on, the time of day is the same in each run, and advances as it does while a
/// host starts: a microsecond with each look, and what is slept. So is the processor's counter. Clocks that only run
/// forward are the system's.
Bool take_clock_option(const HChar* argument);
void begin_time_of_case();
bool fixes_time_of_day();

/// Of a whole command, from its start: clocks begin with the same time in each run, one that no file is of; what a
/// process passes, the program that it executes continues with. Once there are threads, clocks run as the system's do
/// (the kernel wakes threads by them), and the time of day continues from what it was.
void keep_clock_of_command();
ULong passed_time();
void pass_time(ULong nanoseconds);
ULong seconds_of_command();

/// Around each system call, where the time of day is ours: a moment by our clock that it is to wait until is the
/// system's while the kernel has it. (A semaphore that was to be waited for until a second from now is not to be waited
/// for until 2037.)
void begin_deadline(ThreadId thread, UInt number, const UWord* arguments);
/// After it: by which clock a new timer goes.
void note_timer(UInt number, const UWord* arguments, SysRes result);
void end_deadline(ThreadId thread, SysRes result);

}  // namespace tally::counter
