#include "commits/rebase.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "commits/commit_measuring.h"
#include "discovery/programs.h"
#include "git/repository.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

Result<std::string> commit_of(const Record& base) {
  if (!base.source)
    return fail(ErrorKind::input, "the baseline does not say which commit it measured", {},
                "measure it with tally run in its repository");
  if (base.source->dirty) {
    return fail(
        ErrorKind::input,
        fmt::format("the baseline measured changes that are not in commit {}", short_commit(base.source->commit)), {},
        "measure a commit as it stands");
  }
  return base.source->commit;
}

/// What measured `next`, as it stands in this repository today.
Result<TreeSuite> suite_of(const Repository& repository, const Record& next) {
  if (!next.suite)
    return fail(ErrorKind::input, "the new record does not say which suite it measured", {},
                "measure it with tally run SUITE in its repository");
  const std::string path = (fs::path(repository.top()) / *next.suite).string();
  return is_program(path) ? TreeSuite::of_program(repository.top(), repository.top(), path)
                          : TreeSuite::of_suite(repository.top(), repository.top(), path);
}

/// As `next` was measured; its noise floor stands for both.
CommitMeasuringRequest request_like(const Record& next, const Tools& tools) {
  const auto has_profile = [](const CaseRecord& one) { return one.profile.has_value(); };
  CommitMeasuringRequest request{.selection = {},
                                 .settings = next.settings,
                                 .tools = tools,
                                 .profiles = std::ranges::any_of(next.cases, has_profile)};
  request.settings.noise_floor = false;
  return request;
}

/// What `next` does not have any more is reported as gone, though today's suite cannot measure it.
void keep_gone(const Record& base, const Record& next, Record& measured) {
  for (const CaseRecord& one : base.cases) {
    if (find_case(next, one.id) != nullptr || find_case(measured, one.id) != nullptr) continue;
    measured.cases.push_back(one);
    measured.cases.back().profile.reset();
  }
}

std::vector<std::string> ids_of(const Record& record) {
  std::vector<std::string> ids;
  ids.reserve(record.cases.size());
  for (const CaseRecord& one : record.cases) ids.push_back(one.id);
  return ids;
}

}  // namespace

Result<Rebased> rebase(Workspace& workspace, const Caller& caller, const RebaseRequest& request, RunObserver& observer,
                       const std::function<void(const std::string&)>& notice) {
  const auto& [build, base, next, tools] = request;
  const auto commit = commit_of(base);
  if (!commit) return std::unexpected(commit.error());
  const auto repository = Repository::find(workspace.runner(), caller.environment, caller.working_folder);
  if (!repository) return std::unexpected(repository.error());
  if (!*repository)
    return fail(ErrorKind::input, "is in no git repository", caller.working_folder,
                "go to the repository that was measured");
  auto suite = suite_of(**repository, next);
  if (!suite) return std::unexpected(suite.error());
  auto workshop = CommitWorkshop::open(workspace.runner(), **repository, {.caller = caller, .build = build});
  if (!workshop) return std::unexpected(workshop.error());
  notice(fmt::format("building commit {} in {}, and measuring it", short_commit(*commit), workshop->tree()));
  CommitMeasuring commits(workspace, **repository, *workshop, *suite, request_like(next, tools), observer);
  auto outcome = commits.measure(*commit, ids_of(base));
  if (!outcome) return std::unexpected(outcome.error());
  if (const auto* const why = std::get_if<NotMeasured>(&*outcome))
    return fail(ErrorKind::input, describe(*why), "commit " + short_commit(*commit), "--rebase COMMAND builds it");
  auto& measured = std::get<MeasuredCommit>(*outcome);
  keep_gone(base, next, measured.record);
  return Rebased{std::move(measured.record), std::move(measured.path)};
}

}  // namespace tally
