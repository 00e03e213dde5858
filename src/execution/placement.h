/// Where work of this run may go now: a CPU to share for builds, hosts and counts, CPUs alone for times.
///
/// Never more than the CPUs that may be used, and no times beside anything else of ours. Other runs hold nothing up
/// but times.
#pragma once

#include <functional>
#include <optional>

#include "execution/cpu_lease.h"

namespace tally {

class Placement {
 public:
  /// `used` counts the CPUs on which something of this run is going on, without asking the kernel: to ask it after
  /// every event would be half of what a short case costs.
  Placement(CpuLeases& leases, std::function<std::size_t()> used) : leases_(leases), used_(std::move(used)) {}

  /// Nothing when this run has no CPU left. An error: the lock files cannot be used.
  Result<std::optional<CpuLease>> share();
  /// Nothing when this run has no CPU left, or another tally has what is wanted: then waiting() is set.
  Result<std::optional<CpuLease>> alone(int threads);

  /// Times wait for another run, and for nothing else: who holds the CPUs, one to a line.
  [[nodiscard]] bool waiting() const { return waiting_; }
  [[nodiscard]] std::string holders() const;

 private:
  [[nodiscard]] bool full() const { return used_() >= leases_.topology().allowed.size(); }

  CpuLeases& leases_;
  std::function<std::size_t()> used_;
  bool waiting_ = false;
};

}  // namespace tally
