#include "process/tree_memory.h"

#include <fmt/format.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "process/memory_state.h"
#include "process/process_tree.h"

namespace tally {
namespace {

std::uint64_t proportional_anonymous(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/smaps_rollup", pid));
  std::string line;
  while (std::getline(file, line)) {
    std::uint64_t kibibytes = 0;
    if (std::sscanf(line.c_str(), "Pss_Anon: %" SCNu64 " kB", &kibibytes) == 1) return kibibytes * 1024;
  }
  return resident_anonymous_bytes(pid);  // Linux before 5.4, or a process that we may not look into.
}

}  // namespace

std::uint64_t tree_growth_bytes(pid_t root, pid_t host, std::uint64_t limit) {
  const std::uint64_t shared = resident_anonymous_bytes(host);
  std::vector<TreeProcess> tree = descendants(root);
  tree.push_back({root, host});
  std::uint64_t sum = 0;
  for (const TreeProcess& process : tree) {
    const std::uint64_t held = resident_anonymous_bytes(process.pid);
    sum += held > shared ? held - shared : 0;
  }
  if (sum <= limit) return sum;
  sum = 0;
  for (const TreeProcess& process : tree) sum += proportional_anonymous(process.pid);
  // A page that all forks of the host still share counts as one part in `sharers` in each of them.
  const std::uint64_t sharers = descendants(host).size() + 1;
  const std::uint64_t inherited = shared / sharers * tree.size();
  return sum > inherited ? sum - inherited : 0;
}

}  // namespace tally
