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
  [[nodiscard]] double delta() const { return after - before; }
};

/// An object that has another name after a change: "bench_v1" → "bench_v2". Empty: none has.
struct RenamedObject {
  std::string before = {};
  std::string after = {};
};

/// Every function whose exclusive count changed, largest change first. Names are standardized first, so that builds in
/// different folders compare; both sides are per iteration.
std::vector<FunctionDelta> function_deltas(const StoredProfile& before, const StoredProfile& after,
                                           const RenamedObject& renamed = {});

/// Share of all movement (the sum of |delta|) in functions that `belongs` accepts, 0 … 1.
double share_of_movement(const std::vector<FunctionDelta>& deltas,
                         const std::function<bool(const FunctionDelta&)>& belongs);

}  // namespace tally
