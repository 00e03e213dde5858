/// A benchmark's function in several threads at once, measured from the moment at which all of them have begun their
/// loop to the one at which all have ended it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "call.h"

namespace tally::detail {

struct TeamResult {
  Notes notes;               ///< Of all threads: values added up, labels and reasons of the first that has one.
  std::string failed;        ///< Why not all of them ended their loop; empty: they did.
  std::uint64_t done = 0;    ///< Executions of each thread.
  std::uint64_t pauses = 0;  ///< Of the first thread.
};

/// Runs `function` in `threads` threads of its own, each with a call of `iterations` executions. `meter` is started and
/// finished by the calling thread; null: nothing is measured. What the threads' loops were paused is left out of its
/// time, by their mean. `lone`: of what Callgrind counts, the loop of this thread
/// alone is counted.
TeamResult run_team(const std::function<void(Call&)>& function, Facts& facts, const std::vector<std::int64_t>& args,
                    std::uint64_t iterations, int threads, Meter* meter, std::optional<int> lone = {});

}  // namespace tally::detail
