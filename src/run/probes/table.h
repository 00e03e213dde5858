/// The probes: every way to look into a case beside its count and its time. Each is a file of this folder, and a line
/// here. Their order is that in which they are executed and kept, and in which options and events name them.
#pragma once

#include <array>
#include <bitset>
#include <vector>

#include "run/probes/kept_probe.h"

namespace tally {

namespace probes {

extern const KeptProbe allocation_sites;
extern const KeptProbe python_functions;
extern const KeptProbe threads;
extern const KeptProbe lines;

inline constexpr auto table = std::to_array<const KeptProbe*>({&allocation_sites, &python_functions, &threads, &lines});

}  // namespace probes

/// Some of the table.
class ProbeSet {
 public:
  static ProbeSet all();

  void add(const KeptProbe& probe) { set(probe, true); }
  void remove(const KeptProbe& probe) { set(probe, false); }
  [[nodiscard]] bool contains(const KeptProbe& probe) const;

  friend bool operator==(const ProbeSet&, const ProbeSet&) = default;

 private:
  void set(const KeptProbe& probe, bool value);

  std::bitset<probes::table.size()> in_;  ///< By their places in the table.
};

/// For an engine: these, and those that are always wanted.
std::vector<const Probe*> probes_to_execute(const ProbeSet& wanted);

/// Whose session left it.
const KeptProbe& probe_of(const ProbeSample& found);

}  // namespace tally
