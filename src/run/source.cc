#include "run/source.h"

#include <fmt/format.h>

#include <filesystem>

namespace tally {
namespace {

namespace fs = std::filesystem;

/// A program in Python may be a folder, and then it may be the repository's own.
std::string folder_of(const SourceRequest& request) {
  if (!request.folder.empty()) return request.folder;
  std::error_code code;
  const fs::path measured = request.measured;
  return fs::is_directory(measured, code) ? measured.string() : measured.parent_path().string();
}

/// What a program is called that is all of a repository: the file that says so, or else this word.
std::string name_at_top(const fs::path& top) {
  std::error_code code;
  return fs::exists(top / "asv.conf.json", code) ? "asv.conf.json" : "repository";
}

/// Links are resolved: git calls its top by the name that the kernel has for it.
std::optional<std::string> name_in(const std::string& top, const std::string& measured) {
  if (measured.empty()) return std::nullopt;
  std::error_code code;
  const fs::path path = fs::weakly_canonical(measured, code);
  const fs::path relative = path.lexically_relative(top);
  const bool inside = !top.empty() && !code && !relative.empty() && *relative.begin() != "..";
  const fs::path given = measured;
  if (!inside) return (given.has_filename() && given.filename() != "." ? given : path).filename().string();
  return relative == "." ? name_at_top(top) : relative.string();
}

Result<Source> named_source(const Repository& repository, const std::string& name) {
  const auto commit = repository.commit(name);
  if (!commit) return std::unexpected(commit.error());
  return source_of(repository, *commit);
}

/// What HEAD is, and whether the files are those of it; nothing where nothing is committed yet.
Result<std::optional<Source>> checked_out(const Repository& repository) {
  const auto head = repository.head();
  if (!head) return std::unexpected(head.error());
  if (!*head) return std::nullopt;
  const auto dirty = repository.is_dirty();
  if (!dirty) return std::unexpected(dirty.error());
  Source source = source_of(repository, **head);
  source.dirty = *dirty;
  return source;
}

Result<FoundSource> without_repository(const SourceRequest& request, FoundSource found) {
  found.suite = name_in({}, request.measured);
  if (!request.folder.empty())
    return fail(ErrorKind::input, "is in no git repository", request.folder, "give --source a folder of one");
  if (request.commit.empty()) return found;
  if (!is_full_commit_id(request.commit)) {
    return fail(ErrorKind::input,
                fmt::format("'{}' is not a full commit id, and there is no repository to ask", request.commit),
                "--commit", "give all 40 digits of it, or --source DIR");
  }
  found.source = Source{.repository = {}, .commit = request.commit, .tree = {}, .parents = {}};
  return found;
}

}  // namespace

Source source_of(const Repository& repository, const Commit& commit) {
  return {.repository = repository.address(), .commit = commit.id, .tree = commit.tree, .parents = commit.parents};
}

Result<FoundSource> find_source(ProcessRunner& runner, const EnvironmentVariables& environment,
                                const SourceRequest& request) {
  FoundSource found;
  const std::string folder = folder_of(request);
  if (folder.empty()) return without_repository(request, std::move(found));
  const auto repository = Repository::find(runner, environment, folder);
  if (!repository) {
    if (repository.error().kind == ErrorKind::interrupted) return std::unexpected(repository.error());
    found.why_unknown = describe(repository.error());
    return without_repository({.measured = request.measured, .folder = {}, .commit = request.commit}, std::move(found));
  }
  if (!*repository) return without_repository(request, std::move(found));
  found.suite = name_in((*repository)->top(), request.measured);
  if (!request.commit.empty()) {
    auto source = named_source(**repository, request.commit);
    if (!source) return std::unexpected(source.error());
    found.source = *std::move(source);
    return found;
  }
  auto source = checked_out(**repository);
  if (!source && source.error().kind == ErrorKind::interrupted) return std::unexpected(source.error());
  if (!source) {
    found.why_unknown = describe(source.error());
    return found;
  }
  found.source = *std::move(source);
  return found;
}

}  // namespace tally
