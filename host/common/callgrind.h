/// Callgrind's client requests, as far as hosts use them. Outside Valgrind they do nothing.
///
/// A region is cut out with zero() and dump(), with collection always on: Callgrind's collect state belongs to one
/// thread, and toggling it counted 5,259 of 12,010,071 instructions of a region with four threads.
#pragma once

namespace tally::host::callgrind {

bool running();  ///< Under Valgrind, whichever tool.

/// Starts counting and translating. Flushes all translated code (≈ 0.6 s to make it again for libtorch), so: once, in
/// the host.
void start_instrumentation();

void zero();  ///< All counters of all threads become 0.
void dump();  ///< Counters since zero() go to the next file "<--callgrind-out-file>.<n>"; n counts from 1 in each
              ///< process.

}  // namespace tally::host::callgrind
