/// Chooses CPUs for the work of this run: shared ones for builds, hosts and counts, exclusive ones for times.
///
/// Never more than the CPUs that may be used, and no times beside anything else of ours. Other runs hold nothing up
/// but times; for how long, and for whom, is known here.
#pragma once

#include <functional>
#include <optional>

#include "cpu/lease.h"

namespace tally {

class Placement {
 public:
  /// `used` counts the CPUs on which something of this run works, without asking the kernel: to ask it after
  /// every event would be half of what a short case costs. `most_wait`: how long times may wait for others at a time.
  Placement(CpuLeases& leases, std::function<std::size_t()> used, std::optional<Milliseconds> most_wait)
      : leases_(leases), used_(std::move(used)), most_wait_(most_wait) {}
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;
  ~Placement() { leases_.leave(); }

  /// Nothing when this run has no CPU left. An error: the lock files cannot be used.
  Result<std::optional<CpuLease>> share();
  /// Nothing when this run has no CPU left, or others have what is wanted: then this run stands in line.
  /// `devices` are leased with the CPUs.
  Result<std::optional<CpuLease>> alone(int threads, std::vector<std::string> devices = {});

  /// Between these, everything is started that may be. A place in the line is given up where no times were wanted.
  void begin_round() { wanted_alone_ = false; }
  void end_round(Clock::time_point now);
  /// Nothing more is going to be timed.
  void leave();

  /// When to look again; nothing where the run waits for no CPU.
  [[nodiscard]] std::optional<Clock::time_point> next(Clock::time_point now) const;
  /// For whom times wait while nothing else runs: a second after that began, and every ten seconds. Else empty.
  std::string news(Clock::time_point now);
  /// Times have waited for as long as they may; the error says for whom.
  [[nodiscard]] std::optional<Error> gives_up(Clock::time_point now);

 private:
  [[nodiscard]] bool full() const { return used_() >= leases_.topology().allowed.size(); }

  CpuLeases& leases_;
  std::function<std::size_t()> used_;
  std::optional<Milliseconds> most_wait_;
  bool wanted_alone_ = false;
  std::optional<Clock::time_point> since_;  ///< Nothing has gone on, and others had the CPUs.
  Clock::time_point news_at_{};
};

}  // namespace tally
