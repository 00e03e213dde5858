/// What a file is, told without reading it where that is enough: cache keys change when a compiler, a header or a
/// library does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace tally {

/// "path size mtime" of the file behind all links; "path missing" where there is none.
std::string file_identity(const std::filesystem::path& path);

/// The digest of a file's bytes: what it is, wherever and whenever it was installed.
Result<std::string> file_digest(const std::filesystem::path& path);

/// The prerequisites in a make rule as compilers write them (-MD): escaped blanks, continued lines.
std::vector<std::string> parse_dependencies(std::string_view depfile);

/// A digest of the identities of all these files, in sorted order.
std::string identity_of_all(std::vector<std::string> paths);

}  // namespace tally
