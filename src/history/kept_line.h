/// The line of commits that a history follows, kept in the index from one command to the next.
///
/// Git takes 7 µs a commit to list one, and all but the last few are those that it listed before: only what is new
/// since is read. What comes before a commit follows from its id, so a kept line cannot be out of date; where that
/// is not so (a shallow clone, replaced commits) nothing is kept, and nothing that was kept is believed.
#pragma once

#include <string>

#include "base/error.h"
#include "git/repository.h"
#include "history/commits.h"
#include "history/index.h"

namespace tally {

/// The line of first parents up to `tip`, which names a commit. An error (input): it names none.
Result<CommitLine> line_of(const Repository& repository, const std::string& tip, HistoryIndex& index);

}  // namespace tally
