/// Two records of the same thing into one, as if they had been measured in one run. Pure.
///
/// Raw replicates and samples are put together and summarized anew; a child of either record stays one observation of
/// its interval. What a record keeps only as a figure per iteration (events beside Ir, allocations, the denoised count)
/// becomes the mean of both, weighted by their replicates. A case that failed in either record failed.
#pragma once

#include "base/error.h"
#include "record/record.h"

namespace tally {

/// Errors (input): the cases, their iterations, the settings that counts depend on, or what was measured (environment
/// or subject) are not the same on both sides.
Result<Record> pool(Record first, const Record& second);

Counts pool(const Counts& first, const Counts& second);
Wall pool(const Wall& first, const Wall& second);

}  // namespace tally
