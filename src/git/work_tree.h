/// A second work tree of a repository, at a path of its own, in which one commit after another is checked out.
///
/// Files that git does not track stay from commit to commit: what a build has left is there for the next one. Tracked
/// files that a build has changed are set back. No hook and no filter (smudge) of the repository runs, and submodules
/// are left alone. The repository's own work tree, its index and its branches are not touched; it notes the path, as
/// `git worktree list` shows. One process uses a path at a time: the caller sees to that.
#pragma once

#include <string>
#include <vector>

#include "git/repository.h"

namespace tally {

class WorkTree {
 public:
  /// The one at `path`, with `commit` checked out in it; made where there is none. What else lies at the path goes:
  /// it belongs to this alone. What a killed process left (locks, half a work tree) is no hindrance.
  static Result<WorkTree> open(ProcessRunner& runner, const EnvironmentVariables& environment,
                               const Repository& repository, const std::string& path, const std::string& commit);

  /// A full id. An error: interrupted, the disk is full, the commit's files are not there.
  [[nodiscard]] Status check_out(const std::string& commit) const;

  [[nodiscard]] const std::string& path() const { return git_.folder(); }

 private:
  WorkTree(Git git, std::vector<std::string> plainly) : git_(std::move(git)), plainly_(std::move(plainly)) {}

  Git git_;
  std::vector<std::string> plainly_;  ///< Arguments of git that keep filters away.
};

}  // namespace tally
