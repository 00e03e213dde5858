/// The calls of one case on two sides as one tree, rooted at the statement: what a flame graph draws, and where a
/// change came from. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "profile/function_counts.h"
#include "profile/store.h"

namespace tally {

/// One call path. Inclusive instructions per iteration.
struct CallDelta {
  FunctionKey function;  ///< Standardized; without a file.
  std::size_t parent = 0;
  double before = 0;
  double after = 0;
  [[nodiscard]] double delta() const { return after - before; }
};

/// Node 0 is the statement; parents come before their children.
struct CallTreeDelta {
  std::vector<CallDelta> calls;
  bool approximate = false;  ///< See call_tree.h.
};

/// A side, and what its record says that an iteration costs: the loop, which is in the profile, is taken off.
struct ProfiledSide {
  const StoredProfile* profile = nullptr;
  double per_iteration = 0;
};

/// What an iteration costs where the loop is not in the profile: Python functions'.
double cost_of(const StoredProfile& stored);

/// At most `most` calls, the costliest of either side. What hosts execute around the statement is left out. Without a
/// base (a null profile) all of `before` is 0.
CallTreeDelta call_tree_delta(const ProfiledSide& before, const ProfiledSide& after, std::size_t most);

/// From the statement down, as long as one call has most of its caller's change: where the change is.
std::vector<CallDelta> path_of_change(const CallTreeDelta& tree);

}  // namespace tally
