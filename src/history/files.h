/// The files that a history is kept in, wherever they are: a folder, or a git ref. Written once and never changed.
///
/// A name is a relative path of plain parts ("runs/suite.toml/…"). Names that nobody wrote through here (of a killed
/// writer, of a person) may be among them.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tally {

struct NewHistoryFile {
  std::string name;
  std::string text;
};

/// What lies under a folder, in the order of names.
struct HistoryNames {
  std::vector<std::string> files;
  std::vector<std::string> others;  ///< What can be no file of a history: folders, pipes, links that lead to no file.
};

class HistoryFiles {
 public:
  HistoryFiles() = default;
  HistoryFiles(const HistoryFiles&) = delete;
  HistoryFiles& operator=(const HistoryFiles&) = delete;
  virtual ~HistoryFiles() = default;

  /// What lies under a folder ("runs"); nothing where it is not there.
  [[nodiscard]] virtual Result<HistoryNames> names(const std::string& under) const = 0;
  [[nodiscard]] virtual bool has(const std::string& name) const = 0;
  [[nodiscard]] virtual Result<std::string> read(const std::string& name) const = 0;
  /// Several at once, in the order of `names`; the first error, one of `take` too, ends it.
  virtual Status read_all(std::span<const std::string> names,
                          const std::function<Status(const std::string& name, std::string text)>& take) const = 0;

  /// A file has its name only when it is whole and on the disk; a writer that is killed before, or finds the disk full,
  /// has added nothing of it. Names that are there are passed over. `title`: what is done, for a store that remembers
  /// it.
  virtual Status write(std::vector<NewHistoryFile> files, const std::string& title) = 0;
  /// Files that are not there are passed over.
  virtual Status remove(std::span<const std::string> names, const std::string& title) = 0;

  /// Where the index lies.
  [[nodiscard]] virtual std::filesystem::path index_path() const = 0;
  /// For people and for commands that read files: its path, or how git calls it.
  [[nodiscard]] virtual std::string place_of(const std::string& name) const = 0;
};

}  // namespace tally
