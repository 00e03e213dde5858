/// The threads of this process, without allocating.
#pragma once

namespace tally::host {

/// How many there are; 0 when /proc does not tell.
int count_threads();

/// Sleeps until the other threads do nothing either, two seconds at the most. A pool's workers spin for a while before
/// they sleep (pthreadpool: a million rounds), and what they spin into a region is counted: spreads of 22 % were seen.
void wait_until_others_sleep();

/// How often threads other than the calling one have gone to sleep, all together: unchanged means that none was woken.
unsigned long long sleeps_of_others();

}  // namespace tally::host
