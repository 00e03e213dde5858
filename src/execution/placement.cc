#include "execution/placement.h"

#include <algorithm>

namespace tally {

Result<std::optional<CpuLease>> Placement::share() {
  if (full()) return std::nullopt;
  return leases_.share();
}

Result<std::optional<CpuLease>> Placement::alone(int threads) {
  waiting_ = false;
  if (full()) return std::nullopt;
  const int allowed = static_cast<int>(leases_.topology().allowed.size());
  auto lease = leases_.try_lease({.count = std::min(threads, allowed), .whole_cores = true});
  if (lease) waiting_ = !*lease && used_() == 0;
  return lease;
}

std::string Placement::holders() const {
  std::string lines;
  for (const std::string& holder : leases_.holders()) lines += "\n  " + holder;
  return lines;
}

}  // namespace tally
