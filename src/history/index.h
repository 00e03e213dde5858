/// The content of a history's files as columns in a SQLite file. It is made from the files alone, and made anew when it
/// is missing.
///
/// A case has, for each environment, its points in rows of 128 (SeriesPoint as it lies in memory), so that one series
/// is a few rows side by side and a whole history is read at the speed of memory. A file of another version, of another
/// machine's layout, or one that SQLite finds broken is made anew; where none can be written, one in memory serves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "history/series.h"
#include "history/sqlite.h"

namespace tally {

/// A run that the index knows. `id` is its own, from 1 on.
struct IndexedRun {
  std::int64_t id = 0;
  std::string environment;
  std::string processor;
  std::string commit;
  std::string started;
  std::string file;
};

/// Where the profile of a case at a run is kept.
struct IndexedProfile {
  std::int64_t run = 0;
  std::string case_id;
  std::string stem;  ///< See history/profiles.h.
};

/// Where a run stands in a history.
struct PlaceOfPart {
  std::uint32_t run = 0;
  std::uint32_t part = 0;
};

class HistoryIndex {
 public:
  /// Never fails for what lies at `path`: see above. An error is one of SQLite itself.
  static Result<HistoryIndex> open(const std::filesystem::path& path);
  static Result<HistoryIndex> in_memory();

  /// The files that it knows, in the order of their names.
  [[nodiscard]] Result<std::vector<std::string>> files() const;
  [[nodiscard]] Result<std::vector<std::string>> suites() const;
  /// Their ids, in the order in which they came.
  [[nodiscard]] Result<std::vector<std::string>> cases(std::string_view suite) const;
  /// In the order of their files' names.
  [[nodiscard]] Result<std::vector<IndexedRun>> runs(std::string_view suite) const;

  /// All that runs name, whether they are still kept or not.
  [[nodiscard]] Result<std::vector<IndexedProfile>> profiles(std::string_view suite) const;

  /// Whether it knows these files and no others. `files` are sorted. That it does is noted until it changes, so that
  /// the next time its own list need not be read.
  [[nodiscard]] Result<bool> knows_just(const std::vector<std::string>& files);

  /// What keep_line() was last given (history/kept_line.h); nothing where there was none.
  [[nodiscard]] Result<std::optional<std::string>> line() const;
  /// Never waits. An error: another process writes just now, or it cannot be written.
  Status keep_line(const std::string& text);

  /// Everything goes but the line of commits, which follows from no file.
  Status clear();
  /// What begin() and commit() enclose is there as a whole or not at all, and once: another process that did it first
  /// is waited for.
  Status begin();
  Status commit();
  void roll_back();
  /// `record` has a suite and a source.
  Status add(const std::string& file, const Record& record);

  /// Fills `cases` and `bases` of a history whose runs are chosen: `places` gives, for each run's id, its place among
  /// them, or nothing. Of several parts of a run, a case's point is of the latest that has the case; one that skipped
  /// it has it only where all others did, too. `only`: the one requested case; empty: all.
  Status load(std::string_view suite, const std::vector<std::optional<PlaceOfPart>>& places, std::string_view only,
              History& history) const;

 private:
  struct Tail {
    std::int64_t part = 0;
    std::vector<SeriesPoint> points;
    bool is_new = false;
  };

  explicit HistoryIndex(SqlDatabase database) : database_(std::move(database)) {}

  enum class Note { line, files };

  Status create();
  [[nodiscard]] Result<std::optional<std::string>> note(Note about) const;
  Status keep(Note about, const std::string& text);
  Result<std::int64_t> case_id(const std::string& suite, const CaseDescription& one, SeriesOf of);
  Result<std::int64_t> basis_id(const Basis& basis);
  Result<std::int64_t> environment_id(const std::string& name);
  Status add(std::int64_t case_id, std::int64_t environment, const SeriesPoint& point);
  Result<Tail*> tail_of(std::int64_t case_id, std::int64_t environment);
  Status write(const std::pair<std::int64_t, std::int64_t>& of, const Tail& tail);
  [[nodiscard]] Status load_bases(History& history, std::vector<std::uint32_t>& places) const;

  SqlDatabase database_;
  // Of the transaction that is open.
  std::map<std::pair<std::int64_t, std::int64_t>, Tail> tails_;
  std::map<std::tuple<std::string, std::string, SeriesOf>, std::int64_t> case_ids_;
  std::map<std::tuple<std::string, std::uint64_t, bool, bool, std::string, Metric, std::string>, std::int64_t>
      basis_ids_;
};

}  // namespace tally
