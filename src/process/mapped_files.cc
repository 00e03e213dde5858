#include "process/mapped_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <optional>
#include <set>

#include "base/files.h"
#include "base/text.h"

namespace tally {

namespace {

constexpr std::string_view kDeleted = " (deleted)";

/// struct procmap_query of linux/fs.h, as of Linux 6.11: older headers do not have it.
struct Query {
  std::uint64_t size = sizeof(Query);
  std::uint64_t flags = 0;
  std::uint64_t address = 0;  ///< Of the next mapping, or in it.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t access = 0;
  std::uint64_t page_size = 0;
  std::uint64_t offset = 0;
  std::uint64_t inode = 0;
  std::uint32_t dev_major = 0;
  std::uint32_t dev_minor = 0;
  std::uint32_t name_size = 0;  ///< Room for it; then what it takes, its final zero included.
  std::uint32_t build_id_size = 0;
  std::uint64_t name = 0;  ///< Where to write it.
  std::uint64_t build_id = 0;
};
constexpr unsigned long kQuery = _IOWR('f', 17, Query);
constexpr std::uint64_t kExecutable = 0x04;
constexpr std::uint64_t kNextIfNone = 0x10;
constexpr std::uint64_t kOfFile = 0x20;

/// Asks the kernel for the executable mappings of files alone; nothing where it does not know the question.
std::optional<std::set<std::string>> asked_files(int maps) {
  std::set<std::string> paths;
  std::array<char, PATH_MAX> name;
  Query query;
  for (bool first = true;; first = false, query.address = query.end) {
    query.flags = kExecutable | kNextIfNone | kOfFile;
    query.name = reinterpret_cast<std::uintptr_t>(name.data());
    query.name_size = name.size();
    if (::ioctl(maps, kQuery, &query) != 0) {
      if (errno == ENOENT && !first) return paths;
      return std::nullopt;
    }
    const std::string_view path(name.data(), std::max<std::uint32_t>(query.name_size, 1) - 1);
    if (!path.ends_with(kDeleted)) paths.emplace(path);
  }
}

}  // namespace

std::vector<std::string> mapped_files(int pid) {
  const std::string path = fmt::format("/proc/{}/maps", pid);
  if (const UniqueFd maps(::open(path.c_str(), O_RDONLY | O_CLOEXEC)); maps) {
    if (const auto paths = asked_files(maps.get())) return {paths->begin(), paths->end()};
  }
  return parse_mapped_files(read_file(path).value_or(""));
}

std::vector<std::string> parse_mapped_files(std::string_view maps) {
  std::set<std::string> paths;
  for (const std::string_view line : split(maps, '\n')) {
    // "7f00-7f08 r-xp 00000000 fe:01 1234    /usr/lib/libc.so.6"
    const std::size_t permissions = line.find(' ');
    const std::size_t path = line.find(" /");
    if (permissions == std::string_view::npos || path == std::string_view::npos) continue;
    if (line.substr(permissions + 1, 4)[2] != 'x' || line.ends_with(kDeleted)) continue;
    paths.emplace(line.substr(path + 1));
  }
  return {paths.begin(), paths.end()};
}

}  // namespace tally
