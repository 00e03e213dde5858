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

#include "base/error.h"
#include "expansion/case.h"
#include "profile/line_attribution.h"
#include "symbols/debug_info.h"

namespace tally {

/// Whether a source file may be shown as the user's: not the system's, not an installed package's.
bool is_users_file(std::string_view file);

/// For one run: made when it begins.
class SourceLines {
 public:
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

  std::map<std::string, Object> objects_;
  std::map<std::string, std::filesystem::file_time_type> compiled_;  ///< Of each file of the user's: its oldest object.
  std::filesystem::file_time_type began_ = std::filesystem::file_time_type::clock::now();
};

}  // namespace tally
