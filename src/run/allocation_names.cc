#include "run/allocation_names.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/unique_fd.h"
#include "profile/elf_functions.h"
#include "profile/names.h"

namespace tally {
namespace {

using Names = std::map<std::uint64_t, std::string>;

/// Mapped rather than read: libtorch_cpu has 500 MB, and its symbols are a few of them.
void read_names(const std::string& path, Names& names) {
  std::vector<std::uint64_t> addresses;
  for (const auto& [address, name] : names) addresses.push_back(address);
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about{};
  if (!file || ::fstat(file.get(), &about) != 0 || about.st_size == 0) return;
  const auto size = static_cast<std::size_t>(about.st_size);
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (at == MAP_FAILED) return;
  std::vector<std::string> found = functions_at({static_cast<const char*>(at), size}, addresses);
  ::munmap(at, size);
  for (std::size_t i = 0; i < addresses.size(); ++i) names[addresses[i]] = std::move(found[i]);
}

/// Between the statement and the allocator: they say nothing of where.
bool is_allocator(const AllocationFrame& frame) {
  return frame.object == "tally_allocation_sites.so" || frame.function.starts_with("_Znw") ||
         frame.function.starts_with("_Zna");
}

}  // namespace

std::vector<AllocationSite> named_sites(const AllocationTrace& trace) {
  std::map<std::string, Names> objects;
  for (const auto& site : trace.sites) {
    for (const auto& frame : site.frames) objects[frame.object][frame.address];
  }
  for (auto& [path, names] : objects) read_names(path, names);
  std::vector<AllocationSite> sites;
  for (const auto& raw : trace.sites) {
    AllocationSite site{
        .source = raw.source, .frames = {}, .python = raw.python, .count = raw.count, .bytes = raw.bytes};
    for (const auto& frame : raw.frames) {
      const std::string& name = objects[frame.object][frame.address];
      AllocationFrame named{std::string(base_name(frame.object)),
                            name.empty() ? fmt::format("{:#x}", frame.address) : name};
      if (!site.frames.empty() || !is_allocator(named)) site.frames.push_back(std::move(named));
    }
    sites.push_back(std::move(site));
  }
  return merged(std::move(sites));
}

}  // namespace tally
