#include "cpu/topology.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>

namespace tally {
namespace {

Result<CpuSet> allowed_cpus() {
  constexpr int bits = 8 * sizeof(unsigned long);
  // The kernel refuses a mask shorter than its own, which is as long as the machine is large.
  for (std::size_t words = 16; words <= 1024; words *= 2) {
    std::vector<unsigned long> mask(words);
    if (sched_getaffinity(0, words * sizeof(unsigned long), reinterpret_cast<cpu_set_t*>(mask.data())) < 0) {
      if (errno == EINVAL) continue;
      break;
    }
    std::vector<CpuIndex> cpus;
    for (int cpu = 0; cpu < static_cast<int>(words) * bits; ++cpu) {
      if ((mask[static_cast<std::size_t>(cpu / bits)] >> (cpu % bits) & 1) != 0) cpus.push_back(CpuIndex{cpu});
    }
    return CpuSet(std::move(cpus));
  }
  return std::unexpected(errno_error("read the CPUs that this process may use", "sched_getaffinity"));
}

std::optional<CpuSet> siblings_of(CpuIndex cpu, const std::string& sysfs) {
  for (const char* name : {"core_cpus_list", "thread_siblings_list"}) {  // The second before Linux 5.3.
    std::ifstream file(fmt::format("{}/cpu{}/topology/{}", sysfs, cpu.value, name));
    std::string text;
    if (!std::getline(file, text)) continue;
    const Result<CpuSet> siblings = parse_cpu_list(text);
    if (siblings && siblings->contains(cpu)) return *siblings;
  }
  return std::nullopt;
}

CpuSet without(const CpuSet& a, const CpuSet& b) {
  std::vector<CpuIndex> rest;
  std::ranges::set_difference(a.cpus(), b.cpus(), std::back_inserter(rest));
  return CpuSet(std::move(rest));
}

/// The CPUs of which a range is a window.
std::vector<CpuIndex> line_of_cpus(const CpuTopology& topology, const LeaseWish& wish) {
  if (!wish.whole_cores) return topology.allowed.cpus();
  std::vector<CpuIndex> line;
  line.reserve(topology.allowed.size());
  for (const CpuSet& core : topology.cores) line.push_back(intersect(core, topology.allowed).cpus().front());
  if (static_cast<int>(line.size()) >= wish.count) return line;
  line.clear();
  for (const CpuSet& core : topology.cores)
    std::ranges::copy(intersect(core, topology.allowed).cpus(), std::back_inserter(line));
  return line;
}

}  // namespace

Result<CpuTopology> read_topology(const CpuSet& wanted, const std::string& sysfs) {
  Result<CpuSet> allowed = allowed_cpus();
  if (!allowed) return std::unexpected(allowed.error());
  if (const CpuSet refused = without(wanted, *allowed); !refused.empty()) {
    return fail(ErrorKind::input, fmt::format("this process may not use CPU {}", to_string(refused)), {},
                fmt::format("choose from {}", to_string(*allowed)));
  }
  CpuTopology topology{.allowed = wanted.empty() ? *allowed : wanted, .cores = {}};
  CpuSet placed;
  for (const CpuIndex cpu : topology.allowed.cpus()) {
    if (placed.contains(cpu)) continue;
    std::optional<CpuSet> core = siblings_of(cpu, sysfs);
    topology.siblings_known = topology.siblings_known && core.has_value();
    if (!core) core = CpuSet({cpu});
    std::vector<CpuIndex> all = placed.cpus();
    std::ranges::copy(core->cpus(), std::back_inserter(all));
    placed = CpuSet(std::move(all));
    topology.cores.push_back(std::move(*core));
  }
  return topology;
}

std::vector<CpuRange> possible_ranges(const CpuTopology& topology, const LeaseWish& wish) {
  const std::vector<CpuIndex> line = line_of_cpus(topology, wish);
  const auto count = static_cast<std::size_t>(std::max(wish.count, 1));
  std::vector<CpuRange> ranges;
  for (std::size_t first = 0; first + count <= line.size(); ++first) {
    const auto begin = line.begin() + static_cast<std::ptrdiff_t>(first);
    CpuRange range{CpuSet(std::vector<CpuIndex>(begin, begin + static_cast<std::ptrdiff_t>(count))), {}};
    std::vector<CpuIndex> beside;
    for (const CpuSet& core : topology.cores) {
      if (wish.whole_cores && !intersect(core, range.use).empty())
        std::ranges::copy(core.cpus(), std::back_inserter(beside));
    }
    range.idle = without(CpuSet(std::move(beside)), range.use);
    ranges.push_back(std::move(range));
  }
  return ranges;
}

}  // namespace tally
