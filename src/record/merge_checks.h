/// Which records may be merged at all, and which counts agree. Internal to src/record.
#pragma once

#include <vector>

#include "base/error.h"
#include "record/merge.h"

namespace tally {

/// An error: one is no part, or they are of different plans, settings or tallies.
Status check_parts(const std::vector<MergeInput>& inputs);

/// Limits (deadlines, memory, retries) decide whether there is a figure, not which: parts may differ in them, and the
/// whole then says none.
void drop_different_limits(Settings& settings, const Settings& other);

/// Two counts of one case in one environment. What is known to vary (`counts_vary`) may differ.
bool counts_agree(const CaseRecord& a, const CaseRecord& b);

}  // namespace tally
