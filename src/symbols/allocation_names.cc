#include "symbols/allocation_names.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "profile/names.h"

namespace tally {
namespace {

/// Between the statement and the allocator: they say nothing of where.
bool is_allocator(const AllocationFrame& frame) {
  return frame.object == "tally_allocation_sites.so" || frame.function.starts_with("_Znw") ||
         frame.function.starts_with("_Zna");
}

}  // namespace

std::vector<AllocationSite> named_sites(const AllocationTrace& trace, ObjectNames& names) {
  std::map<std::string, std::set<std::uint64_t>> wanted;
  for (const auto& site : trace.sites) {
    for (const auto& frame : site.frames) wanted[frame.object].insert(frame.address);
  }
  // All addresses of an object at once: each look into its symbols is one pass over them.
  for (const auto& [object, addresses] : wanted) {
    const std::vector<std::uint64_t> list(addresses.begin(), addresses.end());
    std::ignore = names.at(object, list);
  }
  std::vector<AllocationSite> sites;
  for (const auto& raw : trace.sites) {
    AllocationSite site{
        .source = raw.source, .frames = {}, .python = raw.python, .count = raw.count, .bytes = raw.bytes};
    for (const auto& frame : raw.frames) {
      const std::string name = names.at(frame.object, {&frame.address, 1}).front().name;
      AllocationFrame named{std::string(base_name(frame.object)),
                            name.empty() ? fmt::format("{:#x}", frame.address) : name};
      if (!site.frames.empty() || !is_allocator(named)) site.frames.push_back(std::move(named));
    }
    sites.push_back(std::move(site));
  }
  return merged(std::move(sites));
}

}  // namespace tally
