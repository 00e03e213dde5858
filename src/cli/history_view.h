/// From a store, a repository and what was asked for to a history that can be shown.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/context.h"
#include "cli/history_command.h"
#include "history/store.h"
#include "report/history_view.h"

namespace tally::cli {

/// The store that `--store` names: "git:REF" of the repository, or a folder. An error (input): no such ref can be
/// there.
Result<HistoryStore> open_store(const Context& context, const HistoryOptions& options);

/// What was left out (other environments, commits elsewhere, earlier runs of a commit) is said on `err`. `only`: the id
/// of the one case that is asked for, or what only its id contains or matches; empty: all. Errors (input): nothing is
/// stored, several suites and none named, no repository, no run of a commit on the line, no such case.
Result<HistoryView> load_history(const Context& context, const HistoryOptions& options, const std::string& only,
                                 std::ostream& err);

}  // namespace tally::cli
