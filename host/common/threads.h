/// The threads of this process, without allocating.
#pragma once

namespace tally::host {

/// How many there are; 0 when /proc does not tell.
int count_threads();

/// Waits until there are no more than so many, 10 ms at the most. A thread that was joined is counted until the kernel
/// has taken it down, 0.1 ms later: hosts were taken for threaded ones, and cases waited 8 ms for nobody to fall
/// asleep.
void wait_for_threads(int expected);

/// Sleeps until the other threads do nothing either, two seconds at the most. A pool's workers spin for a while before
/// they sleep (pthreadpool: a million rounds), and what they spin into a region is counted: spreads of 22 % were seen.
void wait_until_others_sleep();

/// How often threads other than the calling one have gone to sleep, all together: unchanged means that none was woken.
unsigned long long sleeps_of_others();

}  // namespace tally::host
