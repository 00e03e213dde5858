/// The runs of a suite, commit by commit, in a folder: one file a run, written once and never changed.
///
/// FOLDER/runs/SUITE/ENVIRONMENT/COMMIT-DIGEST.json. SUITE is what the record calls its suite, ENVIRONMENT the first
/// digits of the fingerprint of all that it ran in, DIGEST that of the file's own text. So writers need not know of
/// each other: the same run has the same name, another one has another. A file gets its name when it is whole and on
/// the disk; what a killed writer leaves has a name that no reader takes for a run.
///
/// A file is a record (record/json.h) without what no history asks for: of its wall times there is each child's median
/// instead of its samples, and profiles are not kept. Every command that reads records reads it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "record/record.h"

namespace tally {

/// A file of the store, by what its path says.
struct StoredRun {
  std::filesystem::path path;
  std::string commit;  ///< Its full id.
};

/// The runs of one suite in one environment: counts of these, and of no others, are compared.
struct Lane {
  std::string suite;
  std::string environment;
  std::vector<StoredRun> runs;  ///< By commit's id, then by the file's name.
};

class HistoryStore {
 public:
  explicit HistoryStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  struct Added {
    std::filesystem::path path;
    bool is_new = false;  ///< False: the store had it.
  };
  /// Errors (input): the record does not say which commit or suite it measured, measured changes that were not
  /// committed, or is not all of a plan; `where` names it in them. io: the folder cannot be written.
  Result<Added> add(const Record& record, const std::string& where);

  /// By suite, then by environment; none where the folder is not there. Errors (io): it cannot be read.
  [[nodiscard]] Result<std::vector<Lane>> lanes() const;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

/// Errors (input): the file is not what its name says, or is no record that this version can read.
Result<Record> load_run(const StoredRun& run);

/// What the store keeps of a record.
Record compacted(Record record);

}  // namespace tally
