#include "huge_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace tally::host {

namespace {

constexpr int kCollapse = 25;  // MADV_COLLAPSE, which Debian 12's headers do not have
constexpr std::uintptr_t kHugePage = std::uintptr_t{2} * 1024 * 1024;

/// False where no huge page is left. Other errors are of one piece only: it shares pages, or has none at all.
bool gather(std::uintptr_t from, std::uintptr_t to) {
  for (auto at = (from + kHugePage - 1) / kHugePage * kHugePage; at + kHugePage <= to; at += kHugePage) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel tells of this process's memory in numbers
    if (::madvise(reinterpret_cast<void*>(at), kHugePage, kCollapse) != 0 && errno == ENOMEM) return false;
  }
  return true;
}

std::size_t resident_bytes() {
  char text[128];
  const int fd = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t length = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  text[length > 0 ? length : 0] = 0;
  unsigned long pages = 0;
  return std::sscanf(text, "%*u %lu", &pages) == 1 ? pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

/// One line of /proc/self/maps.
bool gather_mapping(const char* line) {
  unsigned long from = 0;
  unsigned long to = 0;
  unsigned long inode = 0;
  char access[5] = {};
  if (std::sscanf(line, "%lx-%lx %4s %*s %*s %lu", &from, &to, access, &inode) != 4) return true;
  if (inode != 0 || access[1] != 'w' || access[3] != 'p') return true;
  return gather(from, to);
}

}  // namespace

void gather_in_huge_pages(std::size_t least_resident) {
  if (resident_bytes() < least_resident) return;
  const int maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return;
  char text[8192];
  std::size_t held = 0;
  bool left = true;
  for (ssize_t n = 0; left && (n = ::read(maps, text + held, sizeof text - 1 - held)) > 0;) {
    held += static_cast<std::size_t>(n);
    text[held] = 0;
    char* line = text;
    for (char* end = nullptr; left && (end = std::strchr(line, '\n')) != nullptr; line = end + 1)
      left = gather_mapping(line);
    held = static_cast<std::size_t>(text + held - line);
    std::memmove(text, line, held);
  }
  ::close(maps);
}

}  // namespace tally::host
