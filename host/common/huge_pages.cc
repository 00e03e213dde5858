#include "huge_pages.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <string_view>

#include "memory_map.h"

namespace tally::host {

namespace {

/// False where no huge page is left. Other errors are of one piece only: it shares pages, or has none at all.
bool gather(std::uintptr_t from, std::uintptr_t to) {
  for (auto at = (from + kHugePage - 1) / kHugePage * kHugePage; at + kHugePage <= to; at += kHugePage) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel reports this process's memory as numbers
    if (::madvise(reinterpret_cast<void*>(at), kHugePage, kGatherPages) != 0 && errno == ENOMEM) return false;
  }
  return true;
}

}  // namespace

void gather_in_huge_pages(std::size_t least_resident) {
  if (memory_bytes(Memory::resident) < least_resident) return;
  Mapping mapping;
  for (std::string_view maps = read_maps(); take_mapping(maps, mapping);) {
    const bool is_data = mapping.inode == 0 && mapping.access[1] == 'w' && mapping.access[3] == 'p';
    if (is_data && !gather(mapping.begin, mapping.end)) return;
  }
}

}  // namespace tally::host
