/// Where one case allocates, for a terminal and as JSON. Pure; see table.h for width and colour.
#pragma once

#include <string>

#include "json/value.h"
#include "profile/allocation_delta.h"
#include "profile/allocation_sites.h"
#include "report/text/table.h"

namespace tally {

struct AllocationRender {
  RenderOptions options;
  std::size_t top = 30;  ///< 0: all.
};

/// Allocations and bytes per iteration, by site; most bytes first.
std::string render_allocations(const AllocationSites& kept, const AllocationRender& render);

/// Totals of all iterations as they were counted; `top` 0: all.
std::string allocations_json(const AllocationSites& kept, std::size_t top);

/// { "text", "source", "site", "from", "allocations_before", "allocations_after", "bytes_before", "bytes_after" }
json::Object allocation_delta_json(const AllocationDelta& delta);

}  // namespace tally
