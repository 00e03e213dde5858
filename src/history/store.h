/// The runs of suites, commit by commit: one file a run, written once and never changed.
///
/// runs/SUITE/ENVIRONMENT/COMMIT-DIGEST.json. SUITE is what the record calls its suite, ENVIRONMENT the first digits of
/// the fingerprint of all that it ran in, DIGEST that of the file's own text. So writers need not know of each other:
/// the same run has the same name, another one has another. What a killed writer leaves has a name that no reader takes
/// for a run.
///
/// A file is a record (record/json.h) without what no history asks for: of its wall times there is each child's median
/// instead of its samples, and a profile is named where it is kept (history/profiles.h). Every command that reads
/// records reads it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "history/files.h"
#include "history/index.h"
#include "history/profiles.h"
#include "record/record.h"

namespace tally {

/// A file of the store, by what its name says.
struct StoredRun {
  std::string file;         ///< Its name in the store.
  std::string suite;        ///< Of a path of several parts.
  std::string environment;  ///< Twelve hexadecimal digits.
  std::string commit;       ///< Its full id.
};

/// Nothing where the name is no run's.
std::optional<StoredRun> stored_run_of(std::string_view file);

class HistoryStore {
 public:
  explicit HistoryStore(std::unique_ptr<HistoryFiles> files) : files_(std::move(files)) {}
  /// In a folder, which is made when something is added.
  explicit HistoryStore(const std::filesystem::path& folder);

  /// A record and the file that it becomes.
  struct Run {
    NewHistoryFile file;
    Record record;
    std::vector<NewHistoryFile> profiles = {};
  };
  /// Errors (input): the record does not say which commit or suite it measured, measured changes that were not
  /// committed, or is not all of a plan; `where` names it in them.
  [[nodiscard]] static Result<Run> run_of(Record record, const std::string& where,
                                          const ProfileReader& profiles = nullptr);

  struct Added {
    std::string file;
    bool is_new = false;  ///< False: the store had it.
  };
  /// Errors: those of run_of() and holds(); io: it cannot be written.
  Result<Added> add(const Record& record, const std::string& where, const ProfileReader& profiles = nullptr);
  /// Whether a run is stored already. Errors (input): something else stands under its name; (io): it cannot be read.
  [[nodiscard]] Result<bool> holds(const NewHistoryFile& run) const;
  /// Many at once, none of them before all are on the disk. An error (io): they cannot be written.
  Status add(std::vector<Run> runs);

  /// Every run, in the order of their files' names. Errors (io): it cannot be read.
  [[nodiscard]] Result<std::vector<StoredRun>> runs() const;

  /// Errors (input): the file is not what its name says, or is not a record that this version can read.
  [[nodiscard]] Result<Record> load(const std::string& file) const;

  /// The index, brought up to what the files are: those that are new are read, and all are where one is gone. Where
  /// it cannot be written, or there is no run, one in memory serves. An error: a file cannot be read (see load()).
  Result<HistoryIndex*> index();
  /// The index is made anew from the files.
  Status rebuild();

  [[nodiscard]] HistoryFiles& files() { return *files_; }
  [[nodiscard]] const HistoryFiles& files() const { return *files_; }

 private:
  /// The names of all runs, in their order.
  [[nodiscard]] Result<std::vector<std::string>> run_files() const;
  [[nodiscard]] Result<bool> is_current(HistoryIndex& index) const;
  Status bring_up(HistoryIndex& index) const;
  Status refresh(HistoryIndex& index) const;
  Status open_index();
  Status open_index_of_runs();
  void enter(const std::vector<std::pair<std::string, const Record*>>& runs);

  std::unique_ptr<HistoryFiles> files_;
  std::optional<HistoryIndex> index_;
};

/// What the store keeps of a record, profiles apart.
Record compacted(Record record);

}  // namespace tally
