/// A git repository as history needs it: what stands at a commit, and the line of first parents.
///
/// Reads only. Commits are full ids in lower-case hexadecimal digits (40, or 64 with SHA-256).
#pragma once

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
};

/// A commit as a person knows it.
struct CommitTitle {
  std::string id;
  std::string author;
  std::string title;
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
  [[nodiscard]] Result<std::vector<CommitTitle>> first_parent_line(const std::string& tip) const;

 private:
  explicit Repository(Git git) : git_(std::move(git)) {}

  Git git_;
};

/// 40 or 64 hexadecimal digits in lower case.
bool is_full_commit_id(std::string_view text);

/// "https://user:secret@host/x.git" without "user:secret@"; other texts as they are.
std::string without_credentials(std::string_view address);

}  // namespace tally
