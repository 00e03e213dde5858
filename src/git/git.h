/// One git command in a folder, and what it printed.
///
/// Asks the `git` of the user's PATH. Never: runs a pager or a hook, asks for a password. Variables that a hook sets
/// (GIT_DIR and its like) are not heeded: the folder alone says which repository is meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "process/process.h"

namespace tally {

/// Whether a variable says which repository is meant: GIT_DIR and its like.
bool points_to_repository(std::string_view variable);

class Git {
 public:
  /// The runner outlives this.
  Git(ProcessRunner& runner, const EnvironmentVariables& environment, std::string folder);

  /// Its standard output. An error: `missing` where there is no git, `interrupted`, else `failed` with git's first
  /// line.
  [[nodiscard]] Result<std::string> operator()(std::vector<std::string> arguments, std::string input = {}) const;

  /// The same of a question that git answers by its exit code: nothing where it is 1.
  [[nodiscard]] Result<std::optional<std::string>> ask(std::vector<std::string> arguments) const;

  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  [[nodiscard]] ProcessResult run_git(std::vector<std::string> arguments, std::string input) const;
  [[nodiscard]] Error why_failed(const std::string& command, const ProcessResult& result) const;

  ProcessRunner& runner_;
  EnvironmentVariables environment_;
  std::string folder_;
};

}  // namespace tally
