/// Which CPUs this process may use, which of them share a core, and the ranges a case could be placed on.
///
/// Reading is one function; choosing is pure. Works with one CPU and inside a cpuset or a container. Never assumes how
/// hyper-threads are numbered: sysfs says (0,1 on some machines, 0,n/2 on most), and without it each CPU is a core.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "process/cpu_set.h"

namespace tally {

struct CpuTopology {
  CpuSet allowed;
  std::vector<CpuSet> cores;  ///< The threads of each core with an allowed CPU, forbidden ones too; by lowest allowed.
  bool siblings_known = true;
};

/// By sched_getaffinity and sysfs. `wanted` (`--cores`) narrows it; empty: all. An error when none of it is allowed, or
/// some is not.
Result<CpuTopology> read_topology(const CpuSet& wanted = {}, const std::string& sysfs = "/sys/devices/system/cpu");

struct LeaseWish {
  int count = 1;                          ///< CPUs, at least 1.
  bool whole_cores = false;               ///< For wall time: nothing of ours runs on the hyper-threads beside it.
  std::vector<std::string> devices = {};  ///< Besides, each as a whole: names of lock files.
};

struct CpuRange {
  CpuSet use;   ///< To pin to: `count` of them.
  CpuSet idle;  ///< Held with them and left alone: their hyper-threads.
};

/// Every place for the wish, lowest CPUs first; none when more CPUs are wished for than allowed. A range is contiguous
/// among the allowed CPUs; with whole_cores, among the first threads of the cores. Where there are fewer cores than
/// wished for, both threads of a core are used.
std::vector<CpuRange> possible_ranges(const CpuTopology& topology, const LeaseWish& wish);

}  // namespace tally
