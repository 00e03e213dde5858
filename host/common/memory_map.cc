#include "memory_map.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace tally::host {

namespace {

constexpr std::size_t kMaps = std::size_t{1} << 20U;
char g_maps[kMaps];

std::string_view read_whole(const char* path, char* into, std::size_t room) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  std::size_t length = 0;
  for (ssize_t n = 1; fd >= 0 && n > 0 && length < room; length += static_cast<std::size_t>(std::max<ssize_t>(n, 0))) {
    n = ::read(fd, into + length, room - length);
  }
  if (fd >= 0) ::close(fd);
  return {into, length};
}

}  // namespace

std::string_view read_maps() { return read_whole("/proc/self/maps", g_maps, kMaps); }

bool take_mapping(std::string_view& maps, Mapping& mapping) {
  const std::size_t end = maps.find('\n');
  if (end == std::string_view::npos) return false;
  const std::string_view line = maps.substr(0, end);
  maps.remove_prefix(end + 1);
  char figures[128] = {};  // sscanf looks for the end of all text that it is given
  line.copy(figures, sizeof figures - 1);
  mapping = {};
  std::sscanf(figures, "%lx-%lx %4s %lx %*s %lu", &mapping.begin, &mapping.end, mapping.access, &mapping.offset,
              &mapping.inode);
  mapping.is_heap = line.ends_with("[heap]");
  return true;
}

std::uint64_t memory_bytes(Memory which) {
  char text[256];
  const std::string_view figures = read_whole("/proc/self/statm", text, sizeof text);
  const char* at = figures.data();
  const char* const end = at + figures.size();
  std::uint64_t pages = 0;
  for (int place = 0; place <= static_cast<int>(which); ++place) {
    const auto [next, error] = std::from_chars(at, end, pages);
    if (error != std::errc{}) return 0;
    at = next == end ? end : next + 1;
  }
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace tally::host
