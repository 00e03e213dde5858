/// The right to run on some CPUs: alone, for times, or beside others, for everything else. Among all tally processes of
/// a machine.
///
/// A lease is a flock on one empty file per CPU, exclusive for times and shared otherwise: the kernel takes it back
/// when its holder ends, kill -9 included. Times wait until nobody else runs there, first come, first served
/// (lease_queue.h); counts, which do not depend on what runs beside them, never wait (a count once waited 137 s), and
/// keep off the CPUs that times wait for, so that a machine that is always counting cannot keep times waiting (one
/// waited 300 s and longer). Two leases conflict within one process as well. Nothing but tally heeds them; containers
/// share them only with the folder. The files lie in /run/lock/tallymark, else /tmp/tallymark-cpus: machine-wide and
/// for all users (a folder per user, as $XDG_RUNTIME_DIR is, would let two users share a CPU), never removed, readable
/// by all, which is all that locks need. Never waits while it holds a part of what it wants, so two tally cannot block
/// each other for ever.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/unique_fd.h"
#include "cpu/lease_queue.h"
#include "cpu/topology.h"
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

class CpuLeases {
 public:
  /// The first folder that can be used; `named` where it says one (the environment's TALLY_CPU_LOCKS). An error has
  /// the hint.
  static Result<std::string> default_folder(const std::string& named = {});
  static Result<CpuLeases> open(CpuTopology topology, const std::string& folder);

  [[nodiscard]] const CpuTopology& topology() const { return topology_; }

  /// The first range that is free as a whole; nothing when none is now, or others were first. Where others have what is
  /// wanted, this process stands in line from then on, and is to try again soon (retry()) or to leave(). An error: no
  /// range can ever satisfy the wish (input), or the lock files cannot be used (io).
  Result<std::optional<CpuLease>> try_lease(const LeaseWish& wish);

  /// It stands in line.
  [[nodiscard]] bool is_waiting() const { return queue_.is_in(); }
  /// How soon to try again while it does: the kernel does not notify when a flock goes.
  [[nodiscard]] Milliseconds retry() const { return is_first_ ? kRetryOfFirst : kRetryOfOthers; }
  /// It wants no times any more.
  void leave();

  /// One CPU to share, at once: of those that nobody has or waits for alone, the one that this process uses least;
  /// where there is none such, any.
  Result<CpuLease> share();

  /// For whom it waits: "process 4711 (tally time pass) has CPU 0-1; process 4712 (tally run s.toml) goes first".
  [[nodiscard]] std::string waited_for();

 private:
  CpuLeases(CpuTopology topology, UniqueFd folder, const std::string& path)
      : topology_(std::move(topology)), folder_(std::move(folder)), path_(path), queue_(folder_.get(), path) {}
  enum class Hold { alone, shared };
  /// What leases of this process hold of a CPU, by use counts. The lock files would say so too, at three system calls
  /// for each of 64 CPUs.
  struct Uses {
    std::shared_ptr<int> alone = std::make_shared<int>();
    std::shared_ptr<int> shared = std::make_shared<int>();
    [[nodiscard]] bool has_alone() const { return alone.use_count() > 1; }
    [[nodiscard]] long shares() const { return shared.use_count() - 1; }
  };
  /// Often, for between two cases that another run counts there lies a millisecond; others disturb what is timed least
  /// when they sleep.
  static constexpr Milliseconds kRetryOfFirst{5};
  static constexpr Milliseconds kRetryOfOthers{50};

  [[nodiscard]] Result<std::optional<UniqueFd>> lock(const std::string& name, Hold hold) const;
  /// Of these, the first that is free as a whole.
  [[nodiscard]] Result<std::optional<CpuLease>> take(std::span<const CpuRange* const> ranges);
  /// All of these devices; nothing where another lease has one of them.
  [[nodiscard]] Result<std::optional<std::vector<UniqueFd>>> take_devices(
      const std::vector<std::string>& devices) const;
  /// Where to wait: where the fewest CPUs are held alone, for what is shared comes back sooner.
  [[nodiscard]] Result<const CpuRange*> best_to_wait_for(std::span<const CpuRange* const> ranges) const;
  [[nodiscard]] std::vector<CpuIndex> least_shared_first();
  [[nodiscard]] const std::vector<CpuRange>& ranges_for(const LeaseWish& wish);
  /// Nothing of it is held by a lease of this process.
  [[nodiscard]] bool is_free_here(const CpuRange& range);
  CpuTopology topology_;
  UniqueFd folder_;
  std::string path_;
  LeaseQueue queue_;
  bool is_first_ = false;
  const CpuRange* waits_for_ = nullptr;  ///< As the first.
  int tries_ = 0;                        ///< Since then.
  std::vector<std::string> devices_;     ///< That the last wish had besides.
  std::map<CpuIndex, Uses> uses_;
  std::map<std::pair<int, bool>, std::vector<CpuRange>> ranges_;  ///< By the wishes that there were.
};

}  // namespace tally
