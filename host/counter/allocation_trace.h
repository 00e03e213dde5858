/// Writes the guest's calls of allocators to a file, where an option asks for it (protocol/allocation_trace.h), until
/// counting starts. For tests of what a host's start depends on.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// False: it is no option of ours.
Bool take_trace_option(const HChar* argument);

/// False: it is no request of ours.
Bool handle_trace_request(const UWord* request, UWord* result);

/// The block, with calls traced where it begins a function that allocates.
IRSB* with_trace(IRSB* block);

/// What is not written yet is written, and nothing follows.
void end_trace();

}  // namespace tally::counter
