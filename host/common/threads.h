/// The threads of this process, without allocating.
#pragma once

namespace tally::host {

/// How many there are; 0 when /proc does not say.
int count_threads();

/// Whether this process never had a second thread since it was forked (or started), by the processor time that all of
/// its threads have used, dead ones included: starting a thread that does nothing takes 21 µs, and 90 under Valgrind.
/// Then nothing but the calling thread was ever counted, and a process forked from this one is in the same state: glibc
/// takes locks in a process that had two threads, and forgets that in a fork.
bool alone_since_fork();

/// Sleeps until the other threads do nothing either, two seconds at the most. A pool's workers spin for a while before
/// they sleep (pthreadpool: a million rounds), and what they spin into a region is counted: spreads of 22 % were seen.
void wait_until_others_sleep();

/// How often threads other than the calling one have gone to sleep, all together: unchanged means that none was woken.
unsigned long long sleeps_of_others();

/// Remembers how often each other thread has gone to sleep, for bind_working_threads().
void note_sleeps();

/// Gives the calling thread and each that has slept since note_sleeps() a CPU of its own, in the order in which they
/// were started; true where it did. Only where that is sound: there are as many CPUs as such threads, no thread has
/// come or gone meanwhile (one that is started later inherits the one CPU of whoever starts it), and nobody else has
/// bound one of them (OMP_PROC_BIND=true, or the case itself). Otherwise, and where OMP_PROC_BIND is false, nothing is
/// changed.
bool bind_working_threads();

}  // namespace tally::host
