/// From a store, a repository and what was asked for to a history that can be shown.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include "cli/context.h"
#include "cli/history_command.h"
#include "git/repository.h"
#include "history/git_files.h"
#include "history/store.h"
#include "report/history/view.h"

namespace tally::cli {

/// The repository that the options name, or the working folder's. An error (input): there is none.
Result<Repository> repository_of(ProcessRunner& runner, const Context& context, const HistoryOptions& options);

/// The store that `--store` names: a folder, or "git:REF", a branch of the repository. The runner outlives it. Errors
/// (input): there is no repository, or no ref can be called so.
Result<HistoryStore> open_store(ProcessRunner& runner, const Context& context, const HistoryOptions& options);

/// Whether a store is named as one on a branch.
bool is_branch_store(std::string_view store);

/// The same as git's branch; an error (input) where it is a folder.
Result<std::unique_ptr<GitFiles>> open_branch(ProcessRunner& runner, const Context& context,
                                              const HistoryOptions& options);

/// A history, and the store that the profiles of its runs are in.
struct LoadedHistory {
  std::unique_ptr<ProcessRunner> runner;
  HistoryStore store;
  HistoryView view;
};

/// What was left out (other environments, commits elsewhere, earlier runs of a commit) is said on `err`. `only`: the id
/// of the one case that is asked for, or what only its id contains or matches; empty: all. Errors (input): nothing is
/// stored, several suites and none named, no repository, no run of a commit on the line, no such case.
Result<LoadedHistory> load_history(const Context& context, const HistoryOptions& options, const std::string& only,
                                   std::ostream& err);

}  // namespace tally::cli
