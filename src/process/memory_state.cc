#include "process/memory_state.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>

#include "base/files.h"
#include "base/text.h"

namespace tally {

namespace {

std::optional<std::uint64_t> number_in(std::string_view text) {
  text = trim(text);
  std::uint64_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> number_of(const std::string& path) {
  const auto text = read_file(path);
  return text ? number_in(*text) : std::nullopt;
}

/// "0::/a/b" of /proc/self/cgroup; the unified hierarchy's line.
std::string control_group() {
  const std::string text = read_file("/proc/self/cgroup").value_or("");
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("0::")) return std::string(line.substr(3));
  }
  return {};
}

}  // namespace

MemoryState parse_meminfo(std::string_view text) {
  MemoryState state;
  for (const std::string_view line : split(text, '\n')) {
    constexpr std::uint64_t kKibi = 1024;
    if (line.starts_with("MemTotal:")) state.total = number_in(line.substr(9)).value_or(0) * kKibi;
    if (line.starts_with("MemAvailable:")) state.available = number_in(line.substr(13)).value_or(0) * kKibi;
  }
  return state;
}

MemoryState memory_state() {
  MemoryState state = parse_meminfo(read_file("/proc/meminfo").value_or(""));
  for (std::string group = control_group(); !group.empty() && group != "/"; group.resize(group.rfind('/'))) {
    const std::string folder = "/sys/fs/cgroup" + group;
    const auto limit = number_of(folder + "/memory.max");  // "max" is none
    const auto used = number_of(folder + "/memory.current");
    if (!limit || !used) continue;
    state.total = std::min(state.total, *limit);
    state.available = std::min(state.available, *limit > *used ? *limit - *used : 0);
  }
  return state;
}

std::uint64_t resident_anonymous_bytes(pid_t pid) {
  static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::ifstream file(fmt::format("/proc/{}/statm", pid));
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  std::uint64_t of_files = 0;
  if (!(file >> size >> resident >> of_files) || resident < of_files) return 0;
  return (resident - of_files) * page;
}

}  // namespace tally
