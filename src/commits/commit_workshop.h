/// Builds commits, one after another, in a work tree whose path is the same for every bisect of a repository. So no
/// path moves a count, and each build finds what the last one left.
///
///   $XDG_CACHE_HOME/tallymark/commits/KEY/    KEY is that of the repository
///     tree/                the work tree; untracked files stay
///     logs/COMMIT.log      what the build command printed
///     measured/COMMIT/     records with profiles, of the last bisect; or the commit whose they are
///     whole/KEY/COMMIT     which cases a commit had, when all that were requested were measured
///     lock                 held by the one process that works here
///
/// Variables of the environment that name the repository's own work tree (PYTHONPATH=$PWD/build) name this one instead;
/// those that say which repository is meant (GIT_DIR, in a hook) are not handed on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "discovery/caller.h"
#include "git/work_tree.h"

namespace tally {

struct WorkshopRequest {
  Caller caller;      ///< Who stands in the repository; the same folder of the work tree is where things run.
  std::string build;  ///< Bash text; the one place but --env-command where there is a shell.
};

/// A commit that could not be built, or of which nothing can be measured.
struct NotMeasured {
  std::string why;
  std::string log;                      ///< A file; empty: there is none.
  std::vector<std::string> last_lines;  ///< Of it.
};

class CommitWorkshop {
 public:
  /// Errors: another process works there (input), the folder cannot be made (io). Both references outlive this.
  static Result<CommitWorkshop> open(ProcessRunner& runner, const Repository& repository, WorkshopRequest request);

  /// Checks the commit out and builds it. Nothing: that went well. Errors: interrupted; git or the disk refuse.
  Result<std::optional<NotMeasured>> build(const std::string& commit);

  /// Who measures there: the caller, in the work tree.
  [[nodiscard]] const Caller& caller() const { return inside_; }
  [[nodiscard]] std::string tree() const { return folder_ + "/tree"; }
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  CommitWorkshop(ProcessRunner& runner, const Repository& repository, WorkshopRequest request, std::string folder,
                 UniqueFd lock);
  [[nodiscard]] Status check_out(const std::string& commit);

  ProcessRunner& runner_;
  const Repository& repository_;
  WorkshopRequest request_;
  std::string folder_;
  UniqueFd lock_;
  Caller inside_;
  std::optional<WorkTree> tree_;
};

/// The digits of a commit that a person is shown.
std::string short_commit(const std::string& id);

/// "could not be built: …" with the last lines of its log, for a person.
std::string describe(const NotMeasured& why);

/// `text` with `from` named as `to` wherever it is a whole path or its beginning: "/a/b:/a/bc" → "/t/b:/a/bc".
std::string with_path_replaced(const std::string& text, const std::string& from, const std::string& to);

}  // namespace tally
