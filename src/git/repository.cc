#include "git/repository.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <unordered_map>

#include "base/text.h"

namespace tally {
namespace {

constexpr char kUnit = '\x1f';

bool means_no_repository(const Error& error) {
  return error.message.contains("not a git repository") || error.message.contains("must be run in a work tree");
}

/// What `git cat-file commit` prints: grafts and shallow clones do not change it.
Commit parse_commit(std::string id, std::string_view text) {
  Commit commit{.id = std::move(id), .tree = {}, .parents = {}};
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) break;
    if (line.starts_with("tree ")) commit.tree = line.substr(5);
    if (line.starts_with("parent ")) commit.parents.emplace_back(line.substr(7));
    // "committer NAME <ADDRESS> SECONDS ZONE"; a name may have any other character.
    const std::size_t moment = line.rfind("> ");
    if (line.starts_with("committer ") && moment != std::string_view::npos)
      std::from_chars(line.data() + moment + 2, line.data() + line.size(), commit.committed);
  }
  return commit;
}

}  // namespace

bool is_full_commit_id(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string without_credentials(std::string_view address) {
  const std::size_t scheme = address.find("://");
  if (scheme == std::string_view::npos) return std::string(address);
  const std::size_t begin = scheme + 3;
  const std::string_view host = address.substr(begin, address.find('/', begin) - begin);
  const std::size_t at = host.rfind('@');
  if (at == std::string_view::npos) return std::string(address);
  return std::string(address.substr(0, begin)).append(address.substr(begin + at + 1));
}

Result<std::optional<Repository>> Repository::find(ProcessRunner& runner, const EnvironmentVariables& environment,
                                                   const std::string& folder) {
  const auto top = Git(runner, environment, folder)({"rev-parse", "--show-toplevel"});
  if (top) {
    const std::string path(trim(*top));
    if (path.empty()) return std::nullopt;  // inside .git
    return Repository(Git(runner, environment, path));
  }
  if (top.error().kind == ErrorKind::missing || means_no_repository(top.error())) return std::nullopt;
  return std::unexpected(top.error());
}

std::unexpected<Error> Repository::no_commit(const std::string& name, const Error& error) const {
  if (error.kind == ErrorKind::interrupted) return std::unexpected(error);
  return fail(ErrorKind::input, fmt::format("'{}' is not a commit of this repository", name), top(),
              "name a commit, a branch or a tag that is there; a shallow clone needs `git fetch --unshallow`");
}

Result<Commit> Repository::commit(const std::string& name) const {
  const auto id = git_({"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  if (!id) return no_commit(name, id.error());
  std::string full(trim(*id));
  const auto text = git_({"cat-file", "commit", full});
  if (!text) return std::unexpected(text.error());
  return parse_commit(std::move(full), *text);
}

Result<std::optional<Commit>> Repository::head() const {
  auto found = commit("HEAD");
  if (found) return *std::move(found);
  if (found.error().kind == ErrorKind::input) return std::nullopt;
  return std::unexpected(found.error());
}

Result<bool> Repository::is_dirty() const {
  const auto changes = git_({"status", "--porcelain", "--untracked-files=no", "--ignore-submodules=none"});
  if (!changes) return std::unexpected(changes.error());
  return !trim(*changes).empty();
}

std::string Repository::address() const {
  if (const auto origin = git_({"config", "--get", "remote.origin.url"})) return without_credentials(trim(*origin));
  return std::filesystem::path(top()).filename().string();
}

std::string Repository::user_name() const {
  const auto name = git_({"config", "--get", "user.name"});
  return name ? std::string(trim(*name)) : std::string();
}

Result<std::optional<std::string>> Repository::merge_base(const std::string& one, const std::string& other) const {
  auto base = git_.ask({"merge-base", one, other});
  if (!base) return std::unexpected(base.error());
  if (!*base) return std::nullopt;
  return std::string(trim(**base));
}

namespace {

constexpr std::string_view kLineFormat = "--format=%H%x1f%P%x1f%an%x1f%s";

/// "ID parents author title", separated by kUnit; nothing of a line that is none.
std::optional<LineCommit> parse_line_commit(std::string_view text) {
  const auto fields = split(text, kUnit);
  if (fields.size() < 4) return std::nullopt;
  LineCommit commit;
  // A title may hold the separator; what comes before it does not.
  const std::string_view title = text.substr(static_cast<std::size_t>(fields[3].data() - text.data()));
  commit.title = {.id = std::string(fields[0]), .author = std::string(fields[2]), .title = std::string(title)};
  if (fields[1].empty()) return commit;
  for (const std::string_view parent : split(fields[1], ' ')) commit.parents.emplace_back(parent);
  return commit;
}

}  // namespace

Result<std::vector<LineCommit>> Repository::first_parent_line(const std::string& tip, const std::string& base) const {
  std::vector<std::string> asked = {"log", "--first-parent", "--no-show-signature", std::string(kLineFormat), tip};
  if (!base.empty()) asked.push_back("^" + base);
  asked.emplace_back("--");
  const auto text = git_(std::move(asked));
  if (!text) return std::unexpected(text.error());
  std::vector<LineCommit> line;
  for (const std::string_view one : split(*text, '\n')) {
    if (auto commit = parse_line_commit(one)) line.push_back(*std::move(commit));
  }
  return line;
}

Result<Tip> Repository::tip(const std::string& name) const {
  // What looks like an option would be taken for one: --end-of-options is only understood with --verify.
  if (name.starts_with('-')) return no_commit(name, {});
  const auto said = git_({"rev-parse", "--path-format=absolute", name + "^{commit}", "--is-shallow-repository",
                          "--git-path", "info/grafts", "--glob=refs/replace"});
  if (!said) return no_commit(name, said.error());
  const auto lines = split(trim(*said), '\n');
  // "a..b" is two.
  if (lines.size() < 3 || !is_full_commit_id(lines[0]) || (lines[1] != "false" && lines[1] != "true"))
    return no_commit(name, {});
  std::error_code code;
  // A fourth line names what is replaced.
  return Tip{.id = std::string(lines[0]),
             .is_as_committed = lines.size() == 3 && lines[1] == "false" && !std::filesystem::exists(lines[2], code)};
}

Result<std::vector<LineCommit>> Repository::line_between(const std::string& from, const std::string& to) const {
  const std::string format(kLineFormat);
  const auto first = git_({"log", "--no-walk", "--no-show-signature", format, from, "--"});
  if (!first) return std::unexpected(first.error());
  auto begin = parse_line_commit(trim(*first));
  if (!begin) return fail(ErrorKind::internal, "git log says nothing of it", from);
  if (from == to) return std::vector{*std::move(begin)};
  const auto text = git_({"log", "--ancestry-path", "--no-show-signature", format, from + ".." + to, "--"});
  if (!text) return std::unexpected(text.error());
  std::unordered_map<std::string, LineCommit> between;
  for (const std::string_view one : split(*text, '\n')) {
    auto commit = parse_line_commit(one);
    if (!commit) continue;
    const std::string id = commit->title.id;
    between.emplace(id, *std::move(commit));
  }
  std::vector<LineCommit> line;
  for (std::string at = to; at != from;) {
    const auto found = between.find(at);
    if (found == between.end()) return std::vector<LineCommit>();
    const LineCommit& commit = line.emplace_back(found->second);
    const auto next = std::ranges::find_if(
        commit.parents, [&](const std::string& parent) { return parent == from || between.contains(parent); });
    if (next == commit.parents.end()) return std::vector<LineCommit>();
    at = *next;
  }
  line.push_back(*std::move(begin));
  std::ranges::reverse(line);
  return line;
}

Result<std::string> Repository::common_folder() const {
  const auto folder = git_({"rev-parse", "--path-format=absolute", "--git-common-dir"});
  if (!folder) return std::unexpected(folder.error());
  return std::string(trim(*folder));
}

}  // namespace tally
