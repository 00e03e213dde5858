#include "process/tree_time.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "process/process_tree.h"

namespace tally {

namespace {

/// utime, stime, cutime and cstime: the 14th to 17th field of proc_pid_stat(5).
long ticks_of(pid_t pid) {
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid));
  const std::size_t name = stat ? stat->rfind(')') : std::string::npos;
  if (name == std::string::npos) return 0;
  const auto fields = split(std::string_view(*stat).substr(name), ' ');  // the first is the name's end
  long sum = 0;
  for (std::size_t i = 12; i < 16 && i < fields.size(); ++i) {
    long ticks = 0;
    std::from_chars(fields[i].data(), fields[i].data() + fields[i].size(), ticks);
    sum += ticks;
  }
  return sum;
}

/// The second figure of a thread's schedstat.
std::chrono::nanoseconds queued(const std::filesystem::path& thread) {
  const auto text = read_file(thread / "schedstat");
  if (!text) return {};
  const auto fields = split(std::string_view(*text), ' ');
  std::int64_t waited = 0;
  if (fields.size() > 1) std::from_chars(fields[1].data(), fields[1].data() + fields[1].size(), waited);
  return std::chrono::nanoseconds(waited);
}

std::chrono::nanoseconds queued_of(pid_t pid) {
  std::chrono::nanoseconds sum{};
  std::error_code code;
  for (const auto& thread : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), code))
    sum += queued(thread.path());
  return sum;
}

}  // namespace

std::chrono::milliseconds tree_time(pid_t root) {
  long ticks = ticks_of(root);
  for (const TreeProcess& one : descendants(root)) ticks += ticks_of(one.pid);
  return std::chrono::milliseconds(ticks * 1000 / ::sysconf(_SC_CLK_TCK));
}

std::chrono::milliseconds tree_queued(pid_t root) {
  std::chrono::nanoseconds sum = queued_of(root);
  for (const TreeProcess& one : descendants(root)) sum += queued_of(one.pid);
  return std::chrono::duration_cast<std::chrono::milliseconds>(sum);
}

}  // namespace tally
