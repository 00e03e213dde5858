#include "git/work_tree.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <set>

#include "base/text.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

/// A filter that must be there for a checkout to succeed, and a process or command to filter with, are none.
Result<std::vector<std::string>> without_filters(const Git& git) {
  std::vector<std::string> arguments = {"-c", "submodule.recurse=false", "-c", "advice.detachedHead=false"};
  const auto names = git.ask({"config", "--name-only", "--null", "--get-regexp", "^filter\\..*"});
  if (!names) return std::unexpected(names.error());
  if (!*names) return arguments;
  std::set<std::string> filters;
  for (const std::string_view key : split(**names, '\0')) {
    if (const std::size_t dot = key.rfind('.'); dot != std::string_view::npos) filters.emplace(key.substr(0, dot));
  }
  for (const std::string& filter : filters) {
    for (const std::string_view off : {".smudge=", ".clean=", ".process=", ".required=false"}) {
      arguments.insert(arguments.end(), {"-c", filter + std::string(off)});
    }
  }
  return arguments;
}

/// "-c" options stand before git's command.
std::vector<std::string> joined(std::vector<std::string> options, const std::vector<std::string>& command) {
  options.insert(options.end(), command.begin(), command.end());
  return options;
}

/// A process that was killed leaves its locks; nobody else works in here.
void remove_stale_locks(const Git& git) {
  for (const char* const name : {"index.lock", "HEAD.lock"}) {
    const auto path = git({"rev-parse", "--path-format=absolute", "--git-path", name});
    std::error_code ignored;
    if (path) fs::remove(trim(*path), ignored);
  }
}

/// Whether a work tree of this repository stands at the path.
bool is_work_tree(const Git& git, const std::string& common) {
  const auto found = git({"rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir"});
  if (!found) return false;
  std::error_code code;
  const fs::path own = fs::weakly_canonical(git.folder(), code);
  const auto lines = split(trim(*found), '\n');
  return lines.size() == 2 && fs::path(lines[0]) == own && lines[1] == common;
}

}  // namespace

Result<WorkTree> WorkTree::open(ProcessRunner& runner, const EnvironmentVariables& environment,
                                const Repository& repository, const std::string& path, const std::string& commit) {
  auto plainly = without_filters(repository.git());
  if (!plainly) return std::unexpected(plainly.error());
  const auto common = repository.common_folder();
  if (!common) return std::unexpected(common.error());
  WorkTree tree(Git(runner, environment, path), *std::move(plainly));
  std::error_code code;
  if (fs::exists(path, code) && is_work_tree(tree.git_, *common)) {
    if (auto there = tree.check_out(commit); !there) return std::unexpected(there.error());
    return tree;
  }
  fs::remove_all(path, code);
  if (!code) fs::create_directories(fs::path(path).parent_path(), code);
  if (code) return fail(ErrorKind::io, "cannot make room for a work tree: " + code.message(), path);
  // Twice --force: git may know the path from a folder that has gone, and hold it locked.
  const auto added =
      repository.git()(joined(tree.plainly_, {"worktree", "add", "--force", "--force", "--detach", path, commit}));
  if (!added) return std::unexpected(added.error());
  return tree;
}

Status WorkTree::check_out(const std::string& commit) const {
  remove_stale_locks(git_);
  const auto done = git_(joined(plainly_, {"checkout", "--quiet", "--force", "--detach", commit, "--"}));
  if (!done) return std::unexpected(done.error());
  return {};
}

}  // namespace tally
