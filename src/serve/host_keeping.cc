#include "serve/host_keeping.h"

#include <algorithm>
#include <numeric>

namespace tally::serve {

std::vector<HostId> hosts_to_end(std::vector<KeptHost> hosts, std::uint64_t limit, const MemoryState& machine) {
  const auto add = [](std::uint64_t sum, const KeptHost& one) { return sum + one.bytes; };
  std::uint64_t held = std::accumulate(hosts.begin(), hosts.end(), std::uint64_t{0}, add);
  const std::uint64_t reserve = std::min(machine.total / 20, std::uint64_t{1} << 30);
  std::uint64_t available = machine.available;
  std::erase_if(hosts, [](const KeptHost& one) { return one.host.busy; });
  std::ranges::sort(hosts, {}, [](const KeptHost& one) { return std::pair{one.host.used, one.host.id}; });
  std::vector<HostId> ending;
  for (const KeptHost& one : hosts) {
    if (held <= limit && available >= reserve) break;
    ending.push_back(one.host.id);
    held -= one.bytes;
    available += one.bytes;
  }
  return ending;
}

}  // namespace tally::serve
