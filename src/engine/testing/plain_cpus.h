/// A machine of so many CPUs for the engine on fake hosts, each a core of its own.
#pragma once

#include <string>
#include <vector>

#include "cpu/lease.h"

namespace tally {

/// Its locks lie in `folder`. Throws where they cannot.
inline CpuLeases plain_cpus(int count, const std::string& folder) {
  CpuTopology topology;
  std::vector<CpuIndex> all;
  for (int i = 0; i < count; ++i) {
    all.push_back({i});
    topology.cores.emplace_back(std::vector<CpuIndex>{{i}});
  }
  topology.allowed = CpuSet(all);
  return CpuLeases::open(topology, folder).value();
}

}  // namespace tally
