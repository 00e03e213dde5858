/// What a bisect has found. Plain data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comparison/count_change.h"
#include "comparison/function_delta.h"
#include "history/commits.h"

namespace tally {

/// A change of one case's count, and the commits that may have made it.
struct BisectChange {
  std::string id;
  CountChange counts;
  std::vector<CommitName> candidates;  ///< Oldest first; one: it is that one's.
  std::size_t unmeasurable = 0;        ///< Of these, that could not be built or gave no count.
  /// The sum of steps that are each below the threshold; `contributors` are the candidates of each that was followed.
  bool is_drift = false;
  std::vector<std::vector<CommitName>> contributors;
  std::optional<CommitName> merge;  ///< It came with this one, from the line that it merged.
  bool is_of_merge = false;         ///< What the merge, which is the only candidate, changed besides what it brought.
  std::vector<FunctionDelta> functions;  ///< Largest first; empty where there are no profiles.
};

struct UnbuiltCommit {
  CommitName commit;
  std::string why;
  std::string log;  ///< A file, or empty.
};

struct UncomparedCase {
  std::string id;
  CommitName commit;  ///< The end at which it has no count.
  std::string why;
};

struct BisectReport {
  CommitName good;
  CommitName bad;
  std::size_t commits = 0;  ///< After the good one, up to and with the bad one.
  std::size_t cases = 0;    ///< With counts at both ends.
  std::size_t changed = 0;  ///< Of these, whose counts differ between the ends or at a commit between them.
  std::vector<UncomparedCase> not_compared;  ///< Without a count at one end.
  std::size_t builds = 0;
  std::size_t measured = 0;           ///< Commits.
  std::size_t same_built = 0;         ///< Built, and not measured: what was built is another commit's.
  std::size_t same_files = 0;         ///< Not built either.
  std::size_t stored = 0;             ///< Commits whose counts the store had.
  bool is_whole = true;               ///< False: --limit ended it.
  std::vector<BisectChange> changes;  ///< From the oldest commit to the newest.
  std::vector<UnbuiltCommit> unbuilt;
};

}  // namespace tally
