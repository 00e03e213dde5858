/// The right to run on some CPUs: alone, for times, or beside others, for everything else. Among all tally processes of
/// a machine.
///
/// A lease is a flock on one empty file per CPU, exclusive for times and shared otherwise: the kernel takes it back
/// when its holder ends, kill -9 included. Times wait until nobody else runs there; counts, which do not depend on what
/// runs beside them, never wait (a count once waited 137 s). Two leases conflict within one process as well. Nothing
/// but tally heeds them; containers share them only with the folder. The files lie in /run/lock/tallymark, else
/// /tmp/tallymark-cpus: machine-wide and for all users (a folder per user, as $XDG_RUNTIME_DIR is, would let two users
/// share a CPU), never removed, readable by all, which is all that flock needs. Never waits while it holds a part of
/// what it wants, so two tally cannot block each other for ever.
#pragma once

#include <map>
#include <memory>
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
  std::vector<std::shared_ptr<int>> marks_;  ///< Counted by its CPUs' users in this process.
};

/// How often to try again while another process has what is wanted: the kernel does not tell when a flock goes. Often,
/// for between two cases that another run counts there lies a millisecond.
constexpr Milliseconds lease_retry{5};

class CpuLeases {
 public:
  /// The first folder that can be used. An error has the mend.
  static Result<std::string> default_folder();
  static Result<CpuLeases> open(CpuTopology topology, const std::string& folder);

  [[nodiscard]] const CpuTopology& topology() const { return topology_; }

  /// The first range that is free as a whole; nothing when none is now. An error: no range can ever satisfy the wish
  /// (input), or the lock files cannot be used (io).
  Result<std::optional<CpuLease>> try_lease(const LeaseWish& wish);

  /// One CPU to share, at once: of those that nobody has alone, the one that this process uses least; where times are
  /// being taken on every one, one of those.
  Result<CpuLease> share();

  /// "CPU 1 is held by process 4711 (tally)", one for each allowed CPU that is; for the message while waiting.
  [[nodiscard]] std::vector<std::string> holders() const;

 private:
  CpuLeases(CpuTopology topology, UniqueFd folder, std::string path)
      : topology_(std::move(topology)), folder_(std::move(folder)), path_(std::move(path)) {}
  enum class Hold { alone, shared };
  /// What leases of this process hold of a CPU, by use counts. The lock files would say so too, at three system calls
  /// for each of 64 CPUs.
  struct Uses {
    std::shared_ptr<int> alone = std::make_shared<int>();
    std::shared_ptr<int> shared = std::make_shared<int>();
    [[nodiscard]] bool has_alone() const { return alone.use_count() > 1; }
    [[nodiscard]] long shares() const { return shared.use_count() - 1; }
  };
  [[nodiscard]] Result<std::optional<UniqueFd>> lock(CpuIndex cpu, Hold hold) const;
  [[nodiscard]] std::vector<CpuIndex> least_shared_first();
  [[nodiscard]] const std::vector<CpuRange>& ranges_for(const LeaseWish& wish);
  /// Nothing of it is held by a lease of this process.
  [[nodiscard]] bool is_free_here(const CpuRange& range);
  [[nodiscard]] Result<UniqueFd> lock_file(CpuIndex cpu) const;

  CpuTopology topology_;
  UniqueFd folder_;
  std::string path_;
  std::map<CpuIndex, Uses> uses_;
  std::map<std::pair<int, bool>, std::vector<CpuRange>> ranges_;  ///< By the wishes that there were.
};

}  // namespace tally
