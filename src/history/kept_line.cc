#include "history/kept_line.h"

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

namespace tally {
namespace {

using Commits = std::vector<CommitName>;  // Oldest first.

constexpr char kUnit = '\x1f';

std::string text_of(const Commits& commits) {
  std::string text;
  for (const CommitName& one : commits) {
    text.append(one.id).push_back(kUnit);
    text.append(one.author).push_back(kUnit);
    text.append(one.title).push_back('\n');
  }
  return text;
}

Commits commits_of(std::string_view text) {
  Commits commits;
  commits.reserve(static_cast<std::size_t>(std::ranges::count(text, '\n')));
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    const std::size_t author = one.find(kUnit);
    const std::size_t title = one.find(kUnit, author + 1);
    commits.push_back({.id = std::string(one.substr(0, author)),
                       .author = std::string(one.substr(author + 1, title - author - 1)),
                       .title = std::string(one.substr(title + 1))});
  }
  return commits;
}

/// `commits` up to and with `id`. False: it is none of them.
bool cut_after(Commits& commits, const std::string& id) {
  const auto at = std::ranges::find(commits.rbegin(), commits.rend(), id, &CommitName::id);
  commits.erase(at.base(), commits.end());
  return !commits.empty();
}

/// `newest_first` continues from where `commits` ends.
void append(Commits& commits, std::vector<LineCommit> newest_first) {
  for (LineCommit& one : newest_first | std::views::reverse)
    commits.push_back({std::move(one.title.id), std::move(one.title.author), std::move(one.title.title)});
}

/// Makes the line up to `tip` of that up to another commit. False: they have nothing in common, or git does not say.
bool lead_to(const std::string& tip, const Repository& repository, Commits& commits) {
  if (commits.empty()) return false;
  if (commits.back().id == tip) return true;
  auto since = repository.first_parent_line(tip, commits.back().id);
  if (!since) return false;
  if (since->empty()) return cut_after(commits, tip);
  const std::vector<std::string>& parents = since->back().parents;
  if (parents.empty() || !cut_after(commits, parents.front())) return false;
  append(commits, *std::move(since));
  return true;
}

Result<Commits> listed(const Repository& repository, const std::string& tip) {
  auto line = repository.first_parent_line(tip);
  if (!line) return std::unexpected(line.error());
  Commits commits;
  commits.reserve(line->size());
  append(commits, *std::move(line));
  return commits;
}

}  // namespace

Result<CommitLine> line_of(const Repository& repository, const std::string& tip, HistoryIndex& index) {
  const auto wanted = repository.tip(tip);
  if (!wanted) return std::unexpected(wanted.error());
  const auto& [id, may_keep] = *wanted;
  Commits commits;
  if (may_keep) {
    if (const auto kept = index.line(); kept && *kept) commits = commits_of(**kept);
    const std::string last = commits.empty() ? std::string() : commits.back().id;
    if (lead_to(id, repository, commits)) {
      // The shorter line to an older tip is soon the longer one again.
      const bool is_new = last != id && std::ranges::find(commits, last, &CommitName::id) != commits.end();
      if (is_new) [[maybe_unused]]
        const Status written = index.keep_line(text_of(commits));
      return CommitLine{.commits = std::move(commits), .measured = {}};
    }
  }
  auto line = listed(repository, id);
  if (!line) return std::unexpected(line.error());
  if (may_keep) [[maybe_unused]]
    const Status written = index.keep_line(text_of(*line));
  return CommitLine{.commits = *std::move(line), .measured = {}};
}

}  // namespace tally
