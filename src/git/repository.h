/// A git repository as history needs it: what stands at a commit, and the line of first parents.
///
/// Asks only. Commits are full ids in lower-case hexadecimal digits (40, or 64 with SHA-256).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "git/git.h"

namespace tally {

struct Commit {
  std::string id;
  std::string tree;
  std::vector<std::string> parents;  ///< As the commit names them, also where a shallow clone lacks them.
  std::int64_t committed = 0;        ///< Seconds since 1970; 0: it does not say.
};

/// A commit that a line leads to.
struct Tip {
  std::string id;
  /// What comes before it follows from its id alone: the clone is not shallow, and nothing (`git replace`, grafts)
  /// gives commits other parents than they name.
  bool is_as_committed = false;
};

/// A commit as a person knows it.
struct CommitTitle {
  std::string id;
  std::string author;
  std::string title;
};

/// One commit of a line, and what it was made from.
struct LineCommit {
  CommitTitle title;
  std::vector<std::string> parents;  ///< Full ids, as the commit names them.

  [[nodiscard]] bool is_merge() const { return parents.size() > 1; }
};

class Repository {
 public:
  /// The one that `folder` lies in; nothing where there is none, it has no work tree, or git is not installed. An
  /// error: git refuses to look (its owner is another user), or was interrupted.
  static Result<std::optional<Repository>> find(ProcessRunner& runner, const EnvironmentVariables& environment,
                                                const std::string& folder);

  [[nodiscard]] const std::string& top() const { return git_.folder(); }
  /// The commit that a name (branch, tag, abbreviated id, HEAD~2) means. An error (input): there is none.
  [[nodiscard]] Result<Commit> commit(const std::string& name) const;
  /// Nothing where nothing is committed yet.
  [[nodiscard]] Result<std::optional<Commit>> head() const;
  /// Tracked files differ from HEAD.
  [[nodiscard]] Result<bool> is_dirty() const;
  /// Where `origin` is, without a user's name and password; the top folder's name where there is no origin.
  [[nodiscard]] std::string address() const;
  /// Who commits here, by git's configuration; empty where it does not say.
  [[nodiscard]] std::string user_name() const;
  /// From `tip` by first parents to the first commit; of a shallow clone as far as it goes. Newest first.
  /// With a `base`, without the commits that it comes from and itself: empty where `tip` is one of these; else the
  /// first parent of the last is one, if it has any. An error: `base` is not there.
  [[nodiscard]] Result<std::vector<LineCommit>> first_parent_line(const std::string& tip,
                                                                  const std::string& base = {}) const;
  /// Errors: as of commit().
  [[nodiscard]] Result<Tip> tip(const std::string& name) const;
  /// The newest commit that both come from; nothing where there is none (in a shallow clone: none any more).
  [[nodiscard]] Result<std::optional<std::string>> merge_base(const std::string& one, const std::string& other) const;
  /// From `from`, which is the first, to `to`, the last: each is a parent of the next, the first parent wherever that
  /// leads back to `from`. Empty where `to` does not come from `from`. Both are full ids.
  [[nodiscard]] Result<std::vector<LineCommit>> line_between(const std::string& from, const std::string& to) const;
  /// The folder that all work trees of the repository share: another one for another repository.
  [[nodiscard]] Result<std::string> common_folder() const;
  /// For commands in it that are no questions.
  [[nodiscard]] const Git& git() const { return git_; }

 private:
  explicit Repository(Git git) : git_(std::move(git)) {}
  [[nodiscard]] std::unexpected<Error> no_commit(const std::string& name, const Error& error) const;

  Git git_;
};

/// 40 or 64 hexadecimal digits in lower case.
bool is_full_commit_id(std::string_view text);

/// "https://user:secret@host/x.git" without "user:secret@"; other texts as they are.
std::string without_credentials(std::string_view address);

}  // namespace tally
