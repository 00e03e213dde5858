#include "huge_pages.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "memory_map.h"

namespace tally::host {

namespace {

constexpr std::uintptr_t kHugePage = std::uintptr_t{2} * 1024 * 1024;

/// False where no huge page is left. Other errors are of one piece only: it shares pages, or has none at all.
bool gather(std::uintptr_t from, std::uintptr_t to) {
  for (auto at = (from + kHugePage - 1) / kHugePage * kHugePage; at + kHugePage <= to; at += kHugePage) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel tells of this process's memory in numbers
    if (::madvise(reinterpret_cast<void*>(at), kHugePage, kGatherPages) != 0 && errno == ENOMEM) return false;
  }
  return true;
}

/// One line of /proc/self/maps.
bool gather_mapping(std::string_view line) {
  char figures[128] = {};  // sscanf looks for the end of all text that it is given
  line.copy(figures, sizeof figures - 1);
  unsigned long from = 0;
  unsigned long to = 0;
  unsigned long inode = 0;
  char access[5] = {};
  if (std::sscanf(figures, "%lx-%lx %4s %*s %*s %lu", &from, &to, access, &inode) != 4) return true;
  if (inode != 0 || access[1] != 'w' || access[3] != 'p') return true;
  return gather(from, to);
}

}  // namespace

void gather_in_huge_pages(std::size_t least_resident) {
  if (memory_bytes(Memory::resident) < least_resident) return;
  std::string_view maps = read_maps();
  for (std::size_t end = 0; (end = maps.find('\n')) != std::string_view::npos; maps.remove_prefix(end + 1)) {
    if (!gather_mapping(maps.substr(0, end))) return;
  }
}

}  // namespace tally::host
