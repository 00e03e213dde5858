/// Gives the stacks of a trace of allocations their names, from the files that the process had loaded.
#pragma once

#include <vector>

#include "profile/allocation_trace.h"
#include "symbols/object_names.h"

namespace tally {

/// Merged by name. Frames of the recorder and of operator new are left out; a function without a symbol is called by
/// its address.
std::vector<AllocationSite> named_sites(const AllocationTrace& trace, ObjectNames& names);

}  // namespace tally
