/// The source lines of a case's instructions, from the debug information of what it executed, and those sources' text.
///
/// Keeps each object's debug information open for the cases to come. The lines of a statement are its suite's; a file
/// is the user's own unless it lies where systems, package managers and compilers keep theirs.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "expansion/case.h"
#include "profile/line_attribution.h"
#include "run/debug_info.h"

namespace tally {

/// Whether a source file may be shown as the user's: not the system's, not an installed package's.
bool is_users_file(std::string_view file);

class SourceLines {
 public:
  /// `profile` is Callgrind's, with instructions. An error: it is not whole.
  Result<LineCosts> of(const Case& measured, std::string_view profile);

 private:
  struct Object {
    std::optional<DebugInfo> debug;  ///< None of a library of the system.
    std::string places;              ///< Of a snippet.
    std::map<std::uint64_t, std::vector<SourceLine>> known;
  };
  Object& object_at(const std::string& path);

  std::map<std::string, Object> objects_;
};

/// Writes the text of each of the user's files that has a line in `costs` to `folder`, under its digest, and notes that
/// in `costs`; a part of `measured` that stands in no file is a text of its own. Files that cannot be read are left
/// out.
Status keep_sources(LineCosts& costs, const Case& measured, const std::string& working_folder,
                    const std::filesystem::path& folder);

}  // namespace tally
