#include "process/cpu_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/text.h"

namespace tally {
namespace {

constexpr int kHighestCpu = 65535;

bool parse_number(std::string_view text, int& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() && value >= 0 && value <= kHighestCpu;
}

}  // namespace

CpuSet::CpuSet(std::vector<CpuIndex> cpus) : cpus_(std::move(cpus)) {
  std::ranges::sort(cpus_);
  const auto repeats = std::ranges::unique(cpus_);
  cpus_.erase(repeats.begin(), repeats.end());
}

bool CpuSet::contains(CpuIndex cpu) const { return std::ranges::binary_search(cpus_, cpu); }

CpuSet intersect(const CpuSet& a, const CpuSet& b) {
  std::vector<CpuIndex> both;
  std::ranges::set_intersection(a.cpus(), b.cpus(), std::back_inserter(both));
  return CpuSet(std::move(both));
}

Result<CpuSet> parse_cpu_list(std::string_view text) {
  std::vector<CpuIndex> cpus;
  for (const std::string_view raw : split(trim(text), ',')) {
    const std::string_view part = trim(raw);
    const std::size_t dash = part.find('-');
    int first = 0;
    int last = 0;
    bool good = parse_number(part.substr(0, dash), first);
    last = first;
    if (good && dash != std::string_view::npos) good = parse_number(part.substr(dash + 1), last) && first <= last;
    if (!good) {
      return fail(ErrorKind::input, fmt::format("'{}' is not a CPU or a range of CPUs", part), {},
                  "write a list such as 0-3,7");
    }
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(CpuIndex{cpu});
  }
  return CpuSet(std::move(cpus));
}

std::string to_string(const CpuSet& set) {
  std::string text;
  const std::vector<CpuIndex>& cpus = set.cpus();
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end].value == cpus[end - 1].value + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i].value);
    if (end - i > 1) text += fmt::format("-{}", cpus[end - 1].value);
    i = end;
  }
  return text;
}

}  // namespace tally
