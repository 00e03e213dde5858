/// Which functions moved between two profiles of one case. Pure.
#pragma once

#include <string>
#include <vector>

#include "profile/function_counts.h"
#include "profile/store.h"

namespace tally {

struct FunctionDelta {
  std::string object;  ///< Base name.
  std::string name;    ///< Demangled, not shortened.
  double before = 0;   ///< Exclusive instructions per iteration.
  double after = 0;
  double calls_before = 0;  ///< Per iteration.
  double calls_after = 0;
  [[nodiscard]] double delta() const { return after - before; }
  [[nodiscard]] bool calls_changed() const;
};

/// An object that has another name after a change: "bench_v1" → "bench_v2". Empty: none has.
struct RenamedObject {
  std::string before = {};
  std::string after = {};
};

/// Every function whose exclusive count or whose number of calls changed, largest change of the count first. Names are
/// standardized first, so that builds in different folders compare; both sides are per iteration.
std::vector<FunctionDelta> function_deltas(const StoredProfile& before, const StoredProfile& after,
                                           const RenamedObject& renamed = {});

/// The `most` largest changes; among these, functions that are called more or less often first: that explains a change,
/// where a function's own count only has a part of it.
std::vector<FunctionDelta> telling(std::vector<FunctionDelta> deltas, std::size_t most);

/// Share of all movement (the sum of |delta|) in functions that `belongs` accepts, 0 … 1.
double share_of_movement(const std::vector<FunctionDelta>& deltas,
                         const std::function<bool(const FunctionDelta&)>& belongs);

}  // namespace tally
