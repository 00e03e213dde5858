/// Which records may be merged at all, and which counts agree. Internal to src/record.
#pragma once

#include <vector>

#include "base/error.h"
#include "record/part_text.h"

namespace tally {

/// An error: one is no part, or they are of different plans, settings or tallies.
Status check_parts(const std::vector<PartText>& inputs);

/// Limits (deadlines, memory, retries) decide whether there is a figure, not which: parts may differ in them, and the
/// whole then says none.
void drop_different_limits(Settings& settings, const Settings& other);

/// Two counts of one case in one environment: all replicates have the same values, however many there are.
bool counts_agree(const Counts& a, const Counts& b);

}  // namespace tally
