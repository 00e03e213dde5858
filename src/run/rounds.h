/// Several plans measured in turns, so that what drifts on the machine falls on all alike; their passes are pooled.
#pragma once

#include <functional>
#include <span>

#include "run/run.h"

namespace tally {

struct RoundsResult {
  std::vector<Record> records;  ///< Of each side; when interrupted, of no use.
  bool interrupted = false;
};

/// `sides` are measured one after the other, `rounds` times over, by `measure`, whose hosts should stay for the next
/// round. Profiles are kept of the first round, which a second would only repeat. `on_round` is called before each
/// pass: the round from 1 on, and the side from 0 on. An error: one of them could not continue.
Result<RoundsResult> measure_in_turns(const std::function<Result<RunResult>(const RunRequest&)>& measure,
                                      std::span<const RunRequest> sides, int rounds,
                                      const std::function<void(int, std::size_t)>& on_round);

}  // namespace tally
