/// Calls of a benchmark's function that are timed by this process itself, each thread with clocks of its own.
#pragma once

#include "instance.h"

TALLYMARK_FACADE_BEGIN

namespace internal {

/// What one call of the function came to, summed over its threads.
struct Timed {
  IterationCount iterations = 0;  ///< Of all threads.
  double cpu_s = 0;
  double real_s = 0;
  double elapsed_s = 0;          ///< From the call's begin to its end, pauses included.
  ::tally::detail::Notes notes;  ///< With the manual time; counters added up.
};

/// Runs the function in the instance's threads, the first of them the calling one. Set-up and tear-down are the
/// caller's. What the function throws is why it was skipped, which is an error.
Timed run_timed(const Instance& instance, IterationCount iterations);

/// The same in the calling thread alone; `profiler`, which may be null, is called when the loop begins and ends.
void run_alone(const Instance& instance, IterationCount iterations, ProfilerManager* profiler);

}  // namespace internal

TALLYMARK_FACADE_END
