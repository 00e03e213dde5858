/// An empty file that processes of all users lock: readable by all, which is all that a lock needs, and never removed
/// by us.
#pragma once

#include <string>

#include "base/error.h"
#include "base/unique_fd.h"

namespace tally {

/// Opens `name` in a folder that is open as `folder`, and makes it where it is missing. `path` is the folder's, for the
/// error (io).
Result<UniqueFd> open_lock_file(int folder, const std::string& path, const std::string& name);

/// Whether the file that was opened still has its name there: a cleaner of temporary files may have removed it, and
/// then locking it locks nothing.
bool is_named(int file, int folder, const std::string& name);

}  // namespace tally
