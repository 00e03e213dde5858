/// The cost of timing a block, on this machine.
#pragma once

namespace tally {

/// The least time between two readings of the monotonic clock, in seconds; takes a tenth of a millisecond.
double measure_timer_overhead();

}  // namespace tally
