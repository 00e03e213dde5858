/// What was built of a commit, as one digest: commits whose digests are equal execute the same code, and have the same
/// counts.
///
/// Of each case its definition and, in C++, the shared object that its snippet became; of the toolchains programs and
/// what is linked or loaded by name; of the work tree every shared object and every Python source, whoever loads them.
/// What a case reads besides (a file of data) is not in it.
#pragma once

#include <string>

#include "run/run.h"

namespace tally {

/// Compiles the snippets that are not in the cache. `tree` is the folder that holds the commit's files. Errors:
/// interrupted, a cache that cannot be written, a toolchain that does not work.
Result<std::string> built_digest(Workspace& workspace, const RunRequest& request, const std::string& tree);

}  // namespace tally
