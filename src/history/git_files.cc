#include "history/git_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <set>
#include <thread>

#include "base/text.h"

namespace tally {
namespace {

constexpr int kMostTries = 20;
constexpr std::chrono::milliseconds kWhileOthersPush{250};
/// `git cat-file` hands over so many files at once: all of a batch are in memory.
constexpr std::size_t kFilesAtOnce = 500;

/// A path as fast-import reads it whatever is in it.
std::string c_quoted(std::string_view path) {
  std::string text = "\"";
  for (const char c : path) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
  return text + '"';
}

std::string data_command(std::string_view text) { return fmt::format("data {}\n{}\n", text.size(), text); }

std::string last_part(std::string_view ref) { return std::string(ref.substr(ref.rfind('/') + 1)); }

std::unexpected<Error> too_busy(const std::string& ref) {
  return fail(ErrorKind::failed, fmt::format("others have written to it {} times meanwhile", kMostTries), ref,
              "try again");
}

/// What to do about what git said; empty for nothing.
std::string hint_of(std::string_view said) {
  return said.contains(".lock': File exists") ? "where no git is at work, one that was killed left the lock: remove it"
                                              : "";
}

}  // namespace

Result<std::unique_ptr<GitFiles>> GitFiles::open(const Repository& repository, const std::string& name) {
  const Git& git = repository.git();
  const std::string ref = name.starts_with("refs/") ? name : "refs/heads/" + name;
  const auto checked = git.ask({"check-ref-format", ref});
  if (!checked) return std::unexpected(checked.error());
  if (!*checked || name.empty())
    return fail(ErrorKind::input, fmt::format("no git ref can be called '{}'", name), "--store",
                "name a branch for it: git:tally-history");
  const auto where = git({"for-each-ref", "--format=%(worktreepath)", ref});
  if (!where) return std::unexpected(where.error());
  if (const std::string_view folder = trim(*where); !folder.empty()) {
    return fail(ErrorKind::input, fmt::format("the branch is checked out in {}", folder), "--store",
                "keep the history on a branch that nobody works on: git:tally-history");
  }
  const auto common = repository.common_folder();
  if (!common) return std::unexpected(common.error());
  std::string file = ref.substr(5);
  std::ranges::replace(file, '/', '-');
  const auto index = std::filesystem::path(*common) / "tally" / (file + ".sqlite");
  return std::unique_ptr<GitFiles>(new GitFiles(git, ref, index));
}

Result<std::string> GitFiles::tip_of(const std::string& name) const {
  const auto tip = git_.ask({"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  if (!tip) return std::unexpected(tip.error());
  return *tip ? std::string(trim(**tip)) : std::string();
}

Result<GitFiles::Tree> GitFiles::tree_of(const std::string& commit) const {
  Tree tree;
  if (commit.empty()) return tree;
  // "MODE blob ID\tNAME"
  const auto text = git_({"ls-tree", "-r", "-z", "--full-tree", commit});
  if (!text) return std::unexpected(text.error());
  for (const std::string_view line : split(*text, '\0')) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) continue;
    const std::string_view id = line.substr(0, tab).substr(line.substr(0, tab).rfind(' ') + 1);
    tree.emplace_hint(tree.end(), line.substr(tab + 1), id);
  }
  return tree;
}

Result<const GitFiles::Tree*> GitFiles::tree() const {
  if (!tree_) {
    const auto tip = tip_of(ref_);
    if (!tip) return std::unexpected(tip.error());
    auto tree = tree_of(*tip);
    if (!tree) return std::unexpected(tree.error());
    tree_ = *std::move(tree);
  }
  return &*tree_;
}

Result<HistoryNames> GitFiles::names(const std::string& under) const {
  tree_.reset();  // Another process may have written.
  const auto tree = this->tree();
  if (!tree) return std::unexpected(tree.error());
  HistoryNames names;  // Git keeps files alone.
  const std::string folder = under + "/";
  for (auto at = (*tree)->lower_bound(folder); at != (*tree)->end() && at->first.starts_with(folder); ++at)
    names.files.push_back(at->first);
  return names;
}

bool GitFiles::has(const std::string& name) const {
  const auto tree = this->tree();
  return tree && (*tree)->contains(name);
}

Result<std::string> GitFiles::read(const std::string& name) const {
  std::string found;
  auto taken = read_all(std::span(&name, 1), [&](const std::string&, std::string text) {
    found = std::move(text);
    return Status();
  });
  if (!taken) return std::unexpected(taken.error());
  return found;
}

Status GitFiles::read_all(std::span<const std::string> names,
                          const std::function<Status(const std::string& name, std::string text)>& take) const {
  const auto tree = this->tree();
  if (!tree) return std::unexpected(tree.error());
  for (std::size_t begin = 0; begin < names.size(); begin += kFilesAtOnce) {
    const auto batch = names.subspan(begin, std::min(kFilesAtOnce, names.size() - begin));
    std::string ids;
    for (const std::string& name : batch) {
      const auto at = (*tree)->find(name);
      if (at == (*tree)->end()) return fail(ErrorKind::io, "is not there", place_of(name));
      ids += at->second + "\n";
    }
    // "ID blob SIZE\n", the bytes, "\n"
    const auto text = git_({"cat-file", "--batch"}, std::move(ids));
    if (!text) return std::unexpected(text.error());
    std::string_view rest = *text;
    for (const std::string& name : batch) {
      const std::string_view head = rest.substr(0, rest.find('\n'));
      const std::string_view digits = head.substr(head.rfind(' ') + 1);
      std::size_t size = 0;
      std::from_chars(digits.data(), digits.data() + digits.size(), size);
      if (!head.contains(" blob ") || head.size() + 1 + size > rest.size())
        return fail(ErrorKind::io, "git cannot read it", place_of(name), "git fsck shows what is broken");
      if (auto taken = take(name, std::string(rest.substr(head.size() + 1, size))); !taken) return taken;
      rest.remove_prefix(std::min(rest.size(), head.size() + 1 + size + 1));
    }
  }
  return {};
}

std::string GitFiles::committer() const {
  // "NAME <MAIL> SECONDS ZONE"; machines of continuous integration have no name.
  const auto said = git_({"var", "GIT_COMMITTER_IDENT"});
  const std::size_t end = said ? said->find('>') : std::string::npos;
  return end == std::string::npos ? "tally <tally@localhost>" : said->substr(0, end + 1);
}

Result<bool> GitFiles::commit(const std::string& tip, const std::string& other_parent, const std::string& title,
                              const std::string& changes) {
  std::string stream = fmt::format("commit {}\ncommitter {} now\n{}", ref_, committer(), data_command(title + "\n"));
  if (!tip.empty()) stream += fmt::format("from {}\n", tip);
  if (!other_parent.empty()) stream += fmt::format("merge {}\n", other_parent);
  stream += changes + "\ndone\n";
  tree_.reset();
  const auto done = git_({"fast-import", "--quiet", "--done", "--date-format=now"}, std::move(stream));
  if (done) return true;
  if (done.error().kind != ErrorKind::failed) return std::unexpected(done.error());
  // It does not move a branch that has moved meanwhile.
  const auto now = tip_of(ref_);
  if (!now) return std::unexpected(now.error());
  if (*now != tip) return false;
  return std::unexpected(Error{ErrorKind::io, done.error().message, ref_, hint_of(done.error().message)});
}

Status GitFiles::commit_until_it_fits(const std::string& title,
                                      const std::function<std::string(const Tree&)>& changes_on) {
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    const auto tip = tip_of(ref_);
    if (!tip) return std::unexpected(tip.error());
    const auto tree = tree_of(*tip);
    if (!tree) return std::unexpected(tree.error());
    const std::string changes = changes_on(*tree);
    if (changes.empty()) return {};
    const auto done = commit(*tip, {}, title, changes);
    if (!done) return std::unexpected(done.error());
    if (*done) return {};
  }
  return too_busy(ref_);
}

Status GitFiles::write(std::vector<NewHistoryFile> files, const std::string& title) {
  return commit_until_it_fits(title, [&](const Tree& tree) {
    std::string changes;
    for (const NewHistoryFile& file : files) {
      if (!tree.contains(file.name))
        changes += fmt::format("M 100644 inline {}\n{}", c_quoted(file.name), data_command(file.text));
    }
    return changes;
  });
}

Status GitFiles::remove(std::span<const std::string> names, const std::string& title) {
  return commit_until_it_fits(title, [&](const Tree& tree) {
    std::string changes;
    for (const std::string& name : names) {
      if (tree.contains(name)) changes += fmt::format("D {}\n", c_quoted(name));
    }
    return changes;
  });
}

Result<bool> GitFiles::join(const std::string& ours, const std::string& theirs) {
  const auto common = git_.ask({"merge-base", ours, theirs});
  if (!common) return std::unexpected(common.error());
  const std::string base = *common ? std::string(trim(**common)) : std::string();
  if (base == theirs) return true;
  if (base == ours) {
    const auto moved = git_.ask({"update-ref", "-m", "tally history pull", ref_, theirs, ours});
    tree_.reset();
    if (moved && *moved) return true;
    const auto now = tip_of(ref_);
    if (!now) return std::unexpected(now.error());
    if (*now != ours) return false;
    return moved ? std::unexpected(Error{ErrorKind::failed, "git cannot move it", ref_, {}})
                 : std::unexpected(moved.error());
  }
  const auto base_tree = tree_of(base);
  const auto our_tree = tree_of(ours);
  const auto their_tree = tree_of(theirs);
  for (const auto* tree : {&base_tree, &our_tree, &their_tree}) {
    if (!*tree) return std::unexpected(tree->error());
  }
  std::string changes;
  for (const auto& [name, id] : *their_tree) {
    if (!base_tree->contains(name) && !our_tree->contains(name))
      changes += fmt::format("M 100644 {} {}\n", id, c_quoted(name));
  }
  for (const auto& [name, id] : *our_tree) {
    if (base_tree->contains(name) && !their_tree->contains(name)) changes += fmt::format("D {}\n", c_quoted(name));
  }
  return commit(ours, theirs, "Join what two have added", changes);
}

Result<std::string> GitFiles::fetch(const std::string& remote) {
  const auto there = git_({"ls-remote", "--", remote, ref_});
  if (!there) return std::unexpected(there.error());
  if (trim(*there).empty()) return std::string();
  const std::string fetched = "refs/tally/fetched/" + last_part(ref_);
  const auto done = git_(
      {"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", remote, fmt::format("+{}:{}", ref_, fetched)});
  if (!done) return std::unexpected(done.error());
  return tip_of(fetched);
}

Status GitFiles::pull(const std::string& remote) {
  const auto theirs = fetch(remote);
  if (!theirs) return std::unexpected(theirs.error());
  if (theirs->empty()) return {};
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    const auto ours = tip_of(ref_);
    if (!ours) return std::unexpected(ours.error());
    if (ours->empty()) {
      tree_.reset();
      // 40 zeros, or an empty text: it must not be there.
      if (git_({"update-ref", ref_, *theirs, ""})) return {};
      continue;
    }
    const auto joined = join(*ours, *theirs);
    if (!joined) return std::unexpected(joined.error());
    if (*joined) return {};
  }
  return too_busy(ref_);
}

Status GitFiles::push(const std::string& remote) {
  const auto ours = tip_of(ref_);
  if (!ours) return std::unexpected(ours.error());
  if (ours->empty()) return fail(ErrorKind::input, "there is no history", ref_, "tally history add begins one");
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    if (auto pulled = pull(remote); !pulled) return pulled;
    const auto pushed = git_({"push", "--quiet", "--", remote, fmt::format("{}:{}", ref_, ref_)});
    if (pushed) return {};
    if (pushed.error().kind != ErrorKind::failed) return std::unexpected(pushed.error());
    if (pushed.error().message.contains("cannot lock ref") && attempt + 1 < kMostTries) {
      // Somebody pushes at this moment, or has just been stopped while they did.
      std::this_thread::sleep_for(kWhileOthersPush);
      continue;
    }
    // Somebody pushed between; otherwise the remote refuses us, and says why.
    const auto theirs = fetch(remote);
    if (!theirs) return std::unexpected(theirs.error());
    const auto known = theirs->empty()
                           ? std::optional<std::string>("")
                           : git_.ask({"merge-base", "--is-ancestor", *theirs, ref_}).value_or(std::nullopt);
    if (known) return std::unexpected(pushed.error());
  }
  return too_busy(ref_);
}

}  // namespace tally
