/// Plans how one case is measured: by its benchmark's settings, else by the run's, else by our defaults. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "definition/settings.h"
#include "measurement/autorange.h"
#include "measurement/settings.h"
#include "process/process.h"

namespace tally {

struct CasePlan {
  std::uint64_t iterations = kUsualIterations;
  bool exact_iterations = false;  ///< Somebody asks for so many; else a program's heavy case takes fewer.
  int replicates = 2;
  int max_replicates = 5;
  WallPlan wall;                    ///< Of one turn.
  Milliseconds counted_deadline{};  ///< For one session.
  Milliseconds counted_wait{};      ///< So much waiting for a processor does not count for it; 0: its limit was set.
  Milliseconds native_deadline{};   ///< Grows with the longest time that timing may take.
  std::uint64_t memory_bytes = 0;   ///< 0: no limit.
  bool system_entropy = false;      ///< The system answers what asks for randomness.
};

CasePlan case_plan(const Settings& settings, const CaseSettings& own);

/// In how many turns the times of each case are taken, over all passes.
int wall_turns(const Settings& settings);

/// What may go wrong so often before it counts.
struct RetryLimits {
  int after_timeout = 1;
  int after_lost_host = 2;
};
RetryLimits retry_limits(const Settings& settings, const CaseSettings& own = {});

/// From a host's start to its hello, and from a request to the fork.
struct HostDeadlines {
  Milliseconds start{120'000};
  /// How much processor time a host may use to start: while it uses some, or waits for a processor that others have, it
  /// may take longer than `start`. Nothing where its time limit was set.
  std::optional<Milliseconds> busy_start = Milliseconds(600'000);
  Milliseconds fork{20'000};
};
HostDeadlines host_deadlines(const Settings& settings);

}  // namespace tally
