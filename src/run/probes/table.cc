#include "run/probes/table.h"

#include <algorithm>
#include <filesystem>

#include "base/digest.h"
#include "base/files.h"

namespace tally {

namespace {

std::size_t index_of(const KeptProbe& probe) {
  return static_cast<std::size_t>(std::ranges::find(probes::kTable, &probe) - probes::kTable.begin());
}

}  // namespace

Status ProbeContext::keep_file(std::string_view suffix, std::string_view text) const {
  return write_file(std::filesystem::path(folder) / (digest(measured.id) + std::string(suffix)), text);
}

ProbeSet ProbeSet::of_profiles() {
  ProbeSet set;
  for (const KeptProbe* one : probes::kTable) set.set(*one, one->asked == KeptProbe::Asked::with_profiles);
  return set;
}

void ProbeSet::set(const KeptProbe& probe, bool is_in) { in_[index_of(probe)] = is_in; }

bool ProbeSet::contains(const KeptProbe& probe) const { return in_[index_of(probe)]; }

std::vector<const Probe*> probes_to_execute(const ProbeSet& wanted, bool by_callgrind) {
  std::vector<const Probe*> all;
  for (const KeptProbe* one : probes::kTable) {
    if (one->asked == KeptProbe::Asked::on_device) continue;  // whoever executes finds out of which cases
    if (one->asked == KeptProbe::Asked::always || wanted.contains(*one))
      all.push_back(by_callgrind && one->by_callgrind != nullptr ? one->by_callgrind : &one->probe);
  }
  return all;
}

const KeptProbe& probe_of(const ProbeSample& found) {
  return **std::ranges::find_if(probes::kTable, [&](const KeptProbe* one) {
    return found.probe == &one->probe || found.probe == one->by_callgrind;
  });
}

}  // namespace tally
