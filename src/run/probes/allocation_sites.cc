/// Where a statement allocates: the stacks that ask for memory, as a recorder that is preloaded into native hosts of
/// its own (host/sites) writes them.
#include "profile/allocation_sites.h"

#include <algorithm>

#include "build/resolve.h"
#include "profile/allocation_trace.h"
#include "run/probes/table.h"
#include "session/traceback.h"
#include "symbols/allocation_names.h"

namespace tally::probes {

namespace {

constexpr ProbeHost kSitesHost{
    .description = "with allocation sites",
    .add =
        [](HostSpec& spec, const HostSurroundings& around) {
          spec.environment =
              with_first(std::move(spec.environment), "LD_PRELOAD", around.libexec + "/tally_allocation_sites.so");
        },
    .folder_variable = "TALLY_ALLOCATION_SITES",
};

/// Of the statement alone.
ProbeStep next_region_of_sites(const ProbeState& state) {
  constexpr std::uint64_t kMostIterations = 100;
  if (!state.of_statement) return std::nullopt;
  if (state.taken.empty()) return AskCount{std::min(state.iterations, kMostIterations), true};
  if (state.taken.front().left.empty())
    return fail(ErrorKind::failed, "the recorder of allocation sites left no trace");
  return std::nullopt;
}

Status keep_sites(const ProbeSample& found, ProbeContext& context) {
  const RegionCounted& region = found.statement.front();
  auto trace = parse_allocation_trace(region.left);
  if (!trace) return std::unexpected(trace.error());
  if (context.measured.language == Language::python) {
    const std::vector<Snippet> parts = python_parts(context.measured);
    for (auto& site : trace->sites) name_place(site.python, parts);
  }
  return context.keep_file(kAllocationSites.suffix, to_json(AllocationSites{.iterations = region.iterations,
                                                                            .sites = named_sites(*trace, context.names),
                                                                            .lost = trace->lost}));
}

}  // namespace

constinit const KeptProbe kAllocationSites = {
    .probe = {.name = "sites",
              .activity = "finding the allocations of",
              .unknown = "where it allocates is not known",
              .is_counted = false,
              .host = &kSitesHost,
              .file_ending = "",
              .next = next_region_of_sites},
    .field = "allocation_sites",
    .suffix = ".allocations.json",
    .keep = keep_sites,
};

}  // namespace tally::probes
