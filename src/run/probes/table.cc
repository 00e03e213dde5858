#include "run/probes/table.h"

#include <algorithm>

namespace tally {

namespace {

std::size_t index_of(const KeptProbe& probe) {
  return static_cast<std::size_t>(std::ranges::find(probes::table, &probe) - probes::table.begin());
}

}  // namespace

ProbeSet ProbeSet::all() {
  ProbeSet every;
  every.in_.set();
  return every;
}

void ProbeSet::set(const KeptProbe& probe, bool value) { in_[index_of(probe)] = value; }

bool ProbeSet::contains(const KeptProbe& probe) const { return in_[index_of(probe)]; }

std::vector<const Probe*> probes_to_execute(const ProbeSet& wanted) {
  std::vector<const Probe*> all;
  for (const KeptProbe* one : probes::table) {
    if (one->always || wanted.contains(*one)) all.push_back(&one->probe);
  }
  return all;
}

const KeptProbe& probe_of(const ProbeSample& found) {
  return **std::ranges::find(probes::table, found.probe, [](const KeptProbe* one) { return &one->probe; });
}

}  // namespace tally
