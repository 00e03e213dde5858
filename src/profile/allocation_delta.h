/// Which sites allocate more or less in one of two profiles of a case. Pure.
///
/// A site is its source, its chain of functions by standard names (rules.h), and the Python function: lines are left
/// out, so that a line more above does not move all that comes below.
#pragma once

#include <string>
#include <vector>

#include "profile/allocation_sites.h"

namespace tally {

struct AllocationDelta {
  AllocationSite site;      ///< Of the later side where it has one; its totals are that side's.
  double count_before = 0;  ///< Per iteration.
  double count_after = 0;
  double bytes_before = 0;
  double bytes_after = 0;
};

/// Every site whose count or bytes per iteration changed, decided on whole numbers; largest change of bytes first.
std::vector<AllocationDelta> allocation_deltas(const AllocationSites& before, const AllocationSites& after);

/// "+1 allocation of 64 B in at::empty from mylib::resize"
std::string describe(const AllocationDelta& delta);

}  // namespace tally
