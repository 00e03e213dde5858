#include "history/named_store.h"

#include <fmt/format.h>

#include <filesystem>

namespace tally {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGitStore = "git:";

}  // namespace

Result<Repository> repository_of(ProcessRunner& runner, const NamedStore& named) {
  const std::string folder = named.repository.empty() ? named.working_folder : named.repository;
  auto repository = Repository::find(runner, named.environment, folder);
  if (!repository) return std::unexpected(repository.error());
  if (!*repository) {
    return fail(ErrorKind::input, "is in no git repository, and a history needs its commits", folder,
                "name the repository with --repository DIR (tally run: --source DIR)");
  }
  return **std::move(repository);
}

Result<std::unique_ptr<GitFiles>> open_branch(ProcessRunner& runner, const NamedStore& named) {
  if (!is_branch_store(named.store)) {
    return fail(ErrorKind::input, fmt::format("'{}' is a folder", named.store), "--store",
                "name a branch of the repository: --store git:tally-history");
  }
  const auto repository = repository_of(runner, named);
  if (!repository) return std::unexpected(repository.error());
  return GitFiles::open(*repository, named.store.substr(kGitStore.size()));
}

bool is_branch_store(std::string_view store) { return store.starts_with(kGitStore); }

Result<HistoryStore> open_store(ProcessRunner& runner, const NamedStore& named) {
  if (!is_branch_store(named.store))
    return HistoryStore((fs::path(named.working_folder) / named.store).lexically_normal());
  auto branch = open_branch(runner, named);
  if (!branch) return std::unexpected(branch.error());
  return HistoryStore(*std::move(branch));
}

}  // namespace tally
