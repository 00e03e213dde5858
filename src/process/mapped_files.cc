#include "process/mapped_files.h"

#include <fmt/format.h>

#include <set>

#include "base/files.h"
#include "base/text.h"

namespace tally {

std::vector<std::string> mapped_files(int pid) {
  return parse_mapped_files(read_file(fmt::format("/proc/{}/maps", pid)).value_or(""));
}

std::vector<std::string> parse_mapped_files(std::string_view maps) {
  std::set<std::string> paths;
  for (const std::string_view line : split(maps, '\n')) {
    // "7f00-7f08 r-xp 00000000 fe:01 1234    /usr/lib/libc.so.6"
    const std::size_t permissions = line.find(' ');
    const std::size_t path = line.find(" /");
    if (permissions == std::string_view::npos || path == std::string_view::npos) continue;
    if (line.substr(permissions + 1, 4)[2] != 'x' || line.ends_with(" (deleted)")) continue;
    paths.emplace(line.substr(path + 1));
  }
  return {paths.begin(), paths.end()};
}

}  // namespace tally
