/// The source lines of a case's instructions, from the debug information of what it executed, and those sources' text.
///
/// Keeps each object's debug information open for the cases to come. The lines of a statement are its suite's; a file
/// is the user's own unless it lies where systems, package managers and compilers keep theirs.
///
/// A source that was written after its object was is not kept: it is not what was compiled. (Of what a run compiles
/// itself, after the run began. DWARF 5 could say more by its digests of sources, but only clang writes them, and
/// Valgrind 3.19 gives up on clang's DWARF 5.)
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "expansion/case.h"
#include "profile/line_attribution.h"
#include "symbols/debug_info.h"

namespace tally {

/// The Git work tree that the folder is in; empty: in none.
std::string work_tree_of(std::filesystem::path folder);

/// Whose files are whose, by their paths. Those of the working folder and of the work trees that it and the subjects
/// lie in are no system's, in whatever folder that is.
class UsersFiles {
 public:
  UsersFiles() = default;
  /// `subjects`: paths of the programs that are measured.
  UsersFiles(const std::string& working_folder, std::vector<std::string> subjects);

  /// Whether a source file may be shown as the user's: not the system's, not an installed package's, not ours.
  [[nodiscard]] bool has_source(std::string_view file) const;
  /// Whether an object's lines are looked for: a subject's, and whatever is no library of the system.
  [[nodiscard]] bool has_object(const std::string& path) const;

 private:
  [[nodiscard]] bool is_systems(std::string_view path) const;

  std::vector<std::string> subjects_;
  std::vector<std::string> folders_;  ///< Each ends with "/".
};

/// For one run: made when it begins.
class SourceLines {
 public:
  explicit SourceLines(UsersFiles users = {}) : users_(std::move(users)) {}

  /// `profile` is Callgrind's, with instructions, and so is `lead`, which is subtracted, or empty. An error: one is
  /// not whole.
  Result<LineCosts> of(const Case& measured, std::string_view profile, std::string_view lead = {});

  /// Writes the text of each of the user's files that has a line in `costs`, which of() has found, to `folder`, under
  /// its digest, and notes that in `costs`; a part of `measured` that stands in no file is a text of its own. Files
  /// that cannot be read are left out, and so are those that are newer than their objects, which is noted.
  Status keep(LineCosts& costs, const Case& measured, const std::string& working_folder,
              const std::filesystem::path& folder) const;

 private:
  struct Object {
    std::optional<DebugInfo> debug;  ///< None of a library of the system.
    std::string places;              ///< Of a snippet.
    std::filesystem::file_time_type written;
    std::map<std::uint64_t, std::vector<SourceLine>> known;
  };
  Object& object_at(const std::string& path);

  void note_compiled(const std::string& file, const Object& object);
  [[nodiscard]] bool is_older_than_its_code(const std::string& file, const std::filesystem::path& path,
                                            std::string_view text, const LineCosts& costs) const;

  UsersFiles users_;
  std::map<std::string, Object> objects_;
  std::map<std::string, std::filesystem::file_time_type> compiled_;  ///< Of each file of the user's: its oldest object.
  std::filesystem::file_time_type began_ = std::filesystem::file_time_type::clock::now();
};

}  // namespace tally
