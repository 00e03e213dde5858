/// Why a case became slower, or faster: the fewest facts that account for it. Pure.
///
/// Functions come from the comparison of profiles, events from runs with simulated caches or branches; what the records
/// lack is empty. Nothing here judges: the verdict is the comparison's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comparison/comparison.h"
#include "comparison/process_shift.h"

namespace tally {

/// What a simulated event has to do with the estimated cycles (see estimated_cycles()).
struct EventChange {
  std::string event;  ///< "D1mr", "Bcm", …
  Shift count;
  double cycles = 0;  ///< The cycles of the count's change.
};

enum class Disagreement {
  none,
  more_but_faster,  ///< More instructions, beyond their threshold, in less time, beyond its own.
  fewer_but_slower,
  time_alone,  ///< The time moved beyond its threshold and the count did not.
};
std::string_view to_string(Disagreement disagreement);  // "more instructions, and faster", …; "" for none

/// The fewest functions, lines or sites that have 90 % of all movement.
template <typename Delta>
struct Movement {
  std::vector<Delta> named;  ///< Largest first; functions in order of what explains most (see telling()).
  std::size_t moved = 0;     ///< All of those that changed.
  double share = 0;          ///< Of all movement, in `named`.
  double more = 0;           ///< Per iteration, summed over those that have more.
  double less = 0;           ///< Likewise, below zero.
};

struct Explanation {
  const CaseComparison* of = nullptr;
  Movement<FunctionDelta> functions;
  Movement<FunctionDelta> python;   ///< Of Python functions, with the native code that they call.
  Movement<LineDelta> lines;        ///< Of C++, with the code of each object that has no lines; empty if that is all.
  Movement<AllocationDelta> sites;  ///< In bytes, or in allocations where no site's bytes changed.
  std::vector<ProcessShift> processes;  ///< Of a command with several, that changed; most first.
  std::optional<Shift> starts;          ///< Of a command: until main(), of all its programs.
  std::optional<Shift> allocations;
  std::optional<Shift> allocated_bytes;
  Disagreement disagreement = Disagreement::none;
  std::vector<EventChange> events;  ///< That changed; most cycles first.
  std::optional<Shift> cycles;      ///< Estimated.
};

Explanation explain(const CaseComparison& one);

/// The events of two cases that were measured with simulated caches or branches, into an explanation.
void explain_events(const Counts& before, const Counts& after, Explanation& explanation);

}  // namespace tally
