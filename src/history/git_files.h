/// A history on a git branch of the repository that it is about: nothing is checked out, no work tree is touched.
///
/// Each write() and remove() is one commit. Since a file never changes, two writers, here or in two clones, cannot
/// conflict: the second writer makes its commit again on top of the first one's, and pull() joins two branches by
/// taking what either has added and leaving what either has removed. Hooks do not run. The index lies in the git
/// folder.
#pragma once

#include <map>
#include <optional>

#include "git/repository.h"
#include "history/files.h"

namespace tally {

class GitFiles final : public HistoryFiles {
 public:
  /// `name`: a branch, or a full ref ("refs/…"). The repository's runner of processes outlives this. Errors (input): no
  /// ref can be called so, or it is checked out somewhere.
  static Result<std::unique_ptr<GitFiles>> open(const Repository& repository, const std::string& name);

  [[nodiscard]] Result<HistoryNames> names(const std::string& under) const override;
  [[nodiscard]] bool has(const std::string& name) const override;
  [[nodiscard]] Result<std::string> read(const std::string& name) const override;
  Status read_all(std::span<const std::string> names,
                  const std::function<Status(const std::string& name, std::string text)>& take) const override;
  Status write(std::vector<NewHistoryFile> files, const std::string& title) override;
  Status remove(std::span<const std::string> names, const std::string& title) override;
  [[nodiscard]] std::filesystem::path index_path() const override { return index_path_; }
  [[nodiscard]] std::string place_of(const std::string& name) const override { return ref_ + ":" + name; }

  /// Brings in what the remote's branch of this name has; it need not have one.
  Status pull(const std::string& remote);
  /// Sends this branch there, after bringing in what is new.
  Status push(const std::string& remote);

 private:
  /// Ids of the files' contents, by name.
  using Tree = std::map<std::string, std::string, std::less<>>;

  GitFiles(Git git, std::string ref, std::filesystem::path index_path)
      : git_(std::move(git)), ref_(std::move(ref)), index_path_(std::move(index_path)) {}

  /// The commit that a name means; empty where there is none.
  [[nodiscard]] Result<std::string> tip_of(const std::string& name) const;
  [[nodiscard]] Result<Tree> tree_of(const std::string& commit) const;
  /// The branch's tree as it was when it was last read.
  [[nodiscard]] Result<const Tree*> tree() const;
  [[nodiscard]] std::string committer() const;
  /// Makes a commit on `tip`: `changes` in the language of git fast-import. False: somebody else made one meanwhile.
  Result<bool> commit(const std::string& tip, const std::string& other_parent, const std::string& title,
                      const std::string& changes);
  /// The same until nobody comes between; `changes_on` says them for the tree as it then is, empty for none.
  Status commit_until_it_fits(const std::string& title, const std::function<std::string(const Tree&)>& changes_on);
  Result<bool> join(const std::string& ours, const std::string& theirs);
  /// The remote's branch, as a commit that is here now; empty where it has none.
  Result<std::string> fetch(const std::string& remote);

  Git git_;
  std::string ref_;
  std::filesystem::path index_path_;
  mutable std::optional<Tree> tree_;
};

}  // namespace tally
