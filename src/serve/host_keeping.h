/// Chooses the warm hosts that end when memory is short: the least recently used ones. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "hosts/host_pool.h"
#include "process/memory_state.h"

namespace tally::serve {

struct KeptHost {
  HostView host;
  std::uint64_t bytes = 0;  ///< That it holds.
};

/// As many as it takes until all together hold at most `limit`, and the machine has a twentieth of its memory left, or
/// a gibibyte. Busy hosts count, and stay.
std::vector<HostId> hosts_to_end(std::vector<KeptHost> hosts, std::uint64_t limit, const MemoryState& machine);

}  // namespace tally::serve
