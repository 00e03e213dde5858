/// A history's store as a command line names it: a folder, or a branch of the repository.
///
/// Errors (input): there is no repository, or no ref can be called so.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "git/repository.h"
#include "history/git_files.h"
#include "history/store.h"

namespace tally {

struct NamedStore {
  std::string store;       ///< A folder, or "git:BRANCH".
  std::string repository;  ///< The folder whose commits order the runs; empty: the working folder.
  /// Of the process that names it.
  EnvironmentVariables environment;
  std::string working_folder;
};

/// Whether a store is named as one on a branch.
bool is_branch_store(std::string_view store);

/// The repository that it names, or the working folder's.
Result<Repository> repository_of(ProcessRunner& runner, const NamedStore& named);

/// The runner outlives it.
Result<HistoryStore> open_store(ProcessRunner& runner, const NamedStore& named);

/// The same as git's branch; an error (input) where it is a folder.
Result<std::unique_ptr<GitFiles>> open_branch(ProcessRunner& runner, const NamedStore& named);

}  // namespace tally
