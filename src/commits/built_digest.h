/// Digests of what was built of a commit, one for each case. Where two commits have the same digest of a case, it
/// executes the same code at both, and has the same count.
///
/// Of the case its definition and, in C++, the code that its snippet became (code_digest.h); of its toolchain the
/// program and what is linked or loaded by name, and what its interpreter can import; of the work tree every shared
/// object and every Python source, whichever process loads them. What a case reads besides (a file of data) is not in
/// it. A command may execute anything: it has another digest at each commit.
#pragma once

#include <map>
#include <string>

#include "run/run.h"

namespace tally {

/// Digests by case. Compiles the snippets that are not in the cache. `tree` is the folder that holds the commit's
/// files. Errors: interrupted, a cache that cannot be written, a toolchain that does not work.
Result<std::map<std::string, std::string>> built_digests(Workspace& workspace, const RunRequest& request,
                                                         const std::string& tree);

}  // namespace tally
