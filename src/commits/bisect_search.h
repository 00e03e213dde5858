/// The search for the commits that changed counts: along a line, and into the merges on it, until all that can be known
/// is. Measures what the search (history/bisection.h) asks for, and keeps it in the store at once.
///
/// A change that came with a merge is looked for on the line that was merged, from where the two had come apart. What
/// that line's own change does not explain is the merge's.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "commits/commit_runner.h"
#include "history/bisect_report.h"
#include "history/bisection.h"
#include "history/readings.h"

namespace tally {

class BisectSearch {
 public:
  /// `limit`: builds at the most; nothing: as many as it takes.
  BisectSearch(CommitRunner& runner, std::optional<std::size_t> limit)
      : runner_(runner), limit_(limit), readings_(runner.settings()) {}

  /// `line`: from the good commit to the bad one. Errors: an end that cannot be measured, an interruption, a store that
  /// cannot be written.
  Result<BisectReport> search(const std::vector<LineCommit>& line);

 private:
  using Line = std::vector<LineCommit>;
  using Ids = std::vector<std::string>;

  Status read_store();
  /// The cases of both ends.
  Result<Ids> measure_ends(const Line& line);
  Result<Ids> measure_end(const CommitName& commit);
  /// Measures until nothing more can be known of the line, or --limit is reached.
  Result<Bisection> complete(const Line& line, const Ids& ids);
  [[nodiscard]] Bisection bisection_of(const Line& line, const Ids& ids) const;
  Result<CommitOutcome> obtain(const CommitName& commit, const Ids& ids);
  Result<std::vector<BisectChange>> changes_of(const Line& line, const Ids& ids,
                                               const std::optional<CommitName>& merge);
  Result<std::vector<BisectChange>> changes_of_merge(const Line& line, std::size_t at, const Ids& ids,
                                                     const std::optional<CommitName>& outer);
  [[nodiscard]] BisectChange change_of(const Line& line, const Ids& ids, const Bisection& bisection,
                                       const BisectionFinding& finding) const;
  [[nodiscard]] UncomparedCase why_not_compared(const Line& line, const std::string& id) const;
  [[nodiscard]] const Reading& reading(const LineCommit& commit, const std::string& id) const;

  CommitRunner& runner_;
  std::optional<std::size_t> limit_;
  Readings readings_;
  std::map<std::string, NotMeasured> unbuilt_;  ///< By commit.
  std::set<std::string> fresh_;                 ///< Commits whose records this process has made.
  BisectReport report_;
};

}  // namespace tally
