/// The right to run on some CPUs, held by one case of one tally at a time, among all tally processes of a machine.
///
/// A lease is a flock on one empty file per CPU: the kernel takes it back when its holder ends, kill -9 included. Two
/// leases conflict within one process as well. Nothing but tally heeds them; containers share them only with the
/// folder. The files lie in /run/lock/tallymark, else /tmp/tallymark-cpus: machine-wide and for all users (a folder per
/// user, as $XDG_RUNTIME_DIR is, would let two users share a CPU), never removed, readable by all, which is all that
/// flock needs. Never waits while it holds a part of what it wants, so two tally cannot block each other for ever.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/unique_fd.h"
#include "execution/cpu_topology.h"
#include "process/process.h"

namespace tally {

/// Gives its CPUs back when it goes.
class CpuLease {
 public:
  [[nodiscard]] const CpuSet& cpus() const { return range_.use; }
  /// Hyper-threads beside them that are kept free for the lease's sake.
  [[nodiscard]] const CpuSet& idle() const { return range_.idle; }

 private:
  friend class CpuLeases;
  CpuRange range_;
  std::vector<UniqueFd> locks_;
};

/// How often to try again while another process has what is wanted: the kernel does not tell when a flock goes.
constexpr Milliseconds lease_retry{50};

class CpuLeases {
 public:
  /// The first folder that can be used. An error has the mend.
  static Result<std::string> default_folder();
  static Result<CpuLeases> open(CpuTopology topology, const std::string& folder);

  [[nodiscard]] const CpuTopology& topology() const { return topology_; }

  /// The first range that is free as a whole; nothing when none is now. An error: no range can ever satisfy the wish
  /// (input), or the lock files cannot be used (io).
  Result<std::optional<CpuLease>> try_lease(const LeaseWish& wish);

  /// Tries until it has one. `waiting` is called before each pause with what to tell the user, and gives up by
  /// returning false (an error then). For callers without an event loop; others use try_lease and lease_retry.
  Result<CpuLease> lease(const LeaseWish& wish, const std::function<bool(const std::string&)>& waiting);

  /// "CPU 1 is held by process 4711 (tally)", one for each allowed CPU that is; for the message while waiting.
  [[nodiscard]] std::vector<std::string> holders() const;

 private:
  CpuLeases(CpuTopology topology, UniqueFd folder, std::string path)
      : topology_(std::move(topology)), folder_(std::move(folder)), path_(std::move(path)) {}
  [[nodiscard]] Result<std::optional<UniqueFd>> lock(CpuIndex cpu) const;
  [[nodiscard]] Result<UniqueFd> lock_file(CpuIndex cpu) const;

  CpuTopology topology_;
  UniqueFd folder_;
  std::string path_;
};

}  // namespace tally
