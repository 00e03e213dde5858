/// From a commit to its record: checked out, built, and measured with today's suite.
///
/// What need not be built is not: a commit with the files of one that was measured has its counts. What need not be
/// measured is not: neither has one whose build left what an earlier one left (built_digest.h). Either record says so
/// of each case, as a warning.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "commits/commit_workshop.h"
#include "commits/tree_suite.h"
#include "run/run.h"

namespace tally {

struct CommitMeasuringRequest {
  Selection selection;
  Settings settings;
  Tools tools;
  bool profiles = false;  ///< Keep them in the workshop, beside a record.
};

/// A commit's record, and where it came from.
struct MeasuredCommit {
  Record record;
  std::string path;     ///< Of the record that profiles lie beside; empty: there are none.
  std::string same_as;  ///< The commit whose counts these are; empty: it was measured itself.
  bool was_built = true;
};

using CommitOutcome = std::variant<MeasuredCommit, NotMeasured>;

class CommitMeasuring {
 public:
  /// All outlive this.
  CommitMeasuring(Workspace& workspace, const Repository& repository, CommitWorkshop& workshop, TreeSuite& suite,
                  CommitMeasuringRequest request, RunObserver& observer)
      : workspace_(workspace),
        repository_(repository),
        workshop_(workshop),
        suite_(suite),
        request_(std::move(request)),
        observer_(observer) {}

  /// The cases with these ids, as far as the commit has them; all that are selected where none is named. Errors:
  /// interrupted, or what no other commit would fix (the disk is full, git refuses).
  Result<CommitOutcome> measure(const std::string& commit, const std::vector<std::string>& ids);

  /// The record that a commit's profiles lie beside, also of an earlier process; empty: there is none.
  [[nodiscard]] std::string profiles_of(const std::string& commit) const;

 private:
  [[nodiscard]] std::string folder_of(const std::string& commit) const;
  [[nodiscard]] Result<Plan> plan_for(const std::vector<std::string>& ids);
  /// By case; what was built for it (built_digest.h).
  using Digests = std::map<std::string, std::string>;
  struct Known {
    MeasuredCommit measured;  ///< The one whose counts these are.
    std::string tree;
    Digests digests;
    bool whole = false;  ///< All cases that are selected.
  };
  /// A commit with the same files, or null.
  [[nodiscard]] const Known* with_files_of(const Commit& commit, const std::vector<std::string>& ids) const;
  /// A commit of which the same was built, or null.
  [[nodiscard]] const Known* with_digests(const Digests& digests) const;
  [[nodiscard]] MeasuredCommit carried(const Known& known, const Commit& commit, const std::vector<std::string>& ids,
                                       bool was_built) const;
  /// Says where the profiles of a commit are that was not measured itself.
  [[nodiscard]] Status note_origin(const MeasuredCommit& carried) const;
  Result<CommitOutcome> measure_built(const Commit& commit, const std::vector<std::string>& ids);

  Workspace& workspace_;
  const Repository& repository_;
  CommitWorkshop& workshop_;
  TreeSuite& suite_;
  CommitMeasuringRequest request_;
  RunObserver& observer_;
  std::vector<Known> known_;
};

}  // namespace tally
