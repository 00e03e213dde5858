/// A set of logical CPUs by the numbers the kernel gives them, sorted and without repeats. Never asks the machine.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tally {

struct CpuIndex {
  int value = 0;
  auto operator<=>(const CpuIndex&) const = default;
};

class CpuSet {
 public:
  CpuSet() = default;
  explicit CpuSet(std::vector<CpuIndex> cpus);

  [[nodiscard]] const std::vector<CpuIndex>& cpus() const { return cpus_; }
  [[nodiscard]] bool empty() const { return cpus_.empty(); }
  [[nodiscard]] std::size_t size() const { return cpus_.size(); }
  [[nodiscard]] bool contains(CpuIndex cpu) const;
  bool operator==(const CpuSet&) const = default;

 private:
  std::vector<CpuIndex> cpus_;
};

/// The members of both.
CpuSet intersect(const CpuSet& a, const CpuSet& b);

/// Reads the kernel's list form, "0-3,7"; what `--cores` and sysfs use. CPU numbers end at 65535.
Result<CpuSet> parse_cpu_list(std::string_view text);

/// The list form: "0-3,7"; "" for the empty set.
std::string to_string(const CpuSet& cpus);

}  // namespace tally
