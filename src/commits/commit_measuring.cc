#include "commits/commit_measuring.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/contains.h"
#include "base/files.h"
#include "commits/built_digest.h"
#include "discovery/programs.h"
#include "record/json.h"
#include "run/source.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownDigits = 10;

/// What is the matter with this commit, rather than with the machine or the user's patience.
bool is_of_the_commit(const Error& error) {
  return error.kind == ErrorKind::input || error.kind == ErrorKind::failed || error.kind == ErrorKind::missing;
}

NotMeasured not_measured(const Error& error) { return {"cannot be measured: " + describe(error), {}, {}}; }

bool has_all(const Record& record, const std::vector<std::string>& ids) {
  return std::ranges::all_of(ids, [&](const std::string& id) { return find_case(record, id) != nullptr; });
}

/// Beside its profiles, so that a bisect which is resumed later finds them.
Status keep_beside_profiles(const std::string& path, const RunResult& result) {
  std::string text;
  const auto written = write_json(result, [&](std::string_view piece) {
    text += piece;
    return Status{};
  });
  if (!written) return written;
  return write_file(path, text);
}

}  // namespace

MeasuredCommit CommitMeasuring::carried(const Known& known, const Commit& commit, const std::vector<std::string>& ids,
                                        bool was_built) const {
  MeasuredCommit carried = known.measured;
  carried.same_as = carried.record.source->commit;
  carried.was_built = was_built;
  carried.record.source = source_of(repository_, commit);
  if (!ids.empty()) std::erase_if(carried.record.cases, [&](const CaseRecord& one) { return !contains(ids, one.id); });
  for (CaseRecord& one : carried.record.cases) {
    one.attempts.clear();
    // A count follows from the files. A time does not: the same one twice would be taken for two that agree.
    one.wall.reset();
    if (one.counts && !one.reused) one.reused = carried.same_as;
    one.warnings.push_back(fmt::format("not measured at this commit: {} those of {}",
                                       was_built ? "the built files are" : "its files are",
                                       carried.same_as.substr(0, kShownDigits)));
  }
  return carried;
}

const CommitMeasuring::Known* CommitMeasuring::with_files_of(const Commit& commit,
                                                             const std::vector<std::string>& ids) const {
  for (const Known& one : known_) {
    if (one.tree == commit.tree && (ids.empty() ? one.whole : has_all(one.measured.record, ids))) return &one;
  }
  return nullptr;
}

const CommitMeasuring::Known* CommitMeasuring::with_digests(const Digests& digests) const {
  for (const Known& one : known_) {
    const bool same = std::ranges::all_of(digests, [&](const auto& wanted) {
      const auto found = one.digests.find(wanted.first);
      return found != one.digests.end() && found->second == wanted.second;
    });
    if (same) return &one;
  }
  return nullptr;
}

std::string CommitMeasuring::folder_of(const std::string& commit) const {
  return fmt::format("{}/measured/{}", workshop_.folder(), commit);
}

std::string CommitMeasuring::profiles_of(const std::string& commit) const {
  const auto origin = read_file(folder_of(commit) + "/same_as");
  const std::string path = folder_of(origin ? *origin : commit) + "/record.json";
  std::error_code code;
  return fs::exists(path, code) ? path : "";
}

Status CommitMeasuring::note_origin(const MeasuredCommit& carried) const {
  if (!request_.profiles) return {};
  return write_file(folder_of(carried.record.source->commit) + "/same_as", carried.same_as);
}

Result<Plan> CommitMeasuring::plan_for(const std::vector<std::string>& ids) {
  auto suite = suite_.in(workshop_.tree(), program_lister(workspace_.runner(), workspace_.surroundings().libexec,
                                                          workshop_.caller(), request_.tools, request_.settings));
  if (!suite) return std::unexpected(suite.error());
  Selection selection = request_.selection;
  if (!ids.empty()) {
    const auto cases = cases_of(*suite);
    if (!cases) return std::unexpected(cases.error());
    selection = {};
    for (const Case& one : *cases) {
      if (contains(ids, one.id)) selection.filters.push_back(one.id);
    }
    if (selection.filters.empty()) return fail(ErrorKind::input, "has none of the cases");
  }
  return make_plan(*suite, {.selection = selection, .repeat = request_.settings.repeat});
}

Result<CommitOutcome> CommitMeasuring::measure(const std::string& id, const std::vector<std::string>& ids) {
  const auto commit = repository_.commit(id);
  if (!commit) return std::unexpected(commit.error());
  if (const Known* const same = with_files_of(*commit, ids)) {
    MeasuredCommit found = carried(*same, *commit, ids, false);
    if (auto noted = note_origin(found); !noted) return std::unexpected(noted.error());
    return found;
  }
  auto built = workshop_.build(commit->id);
  if (!built) return std::unexpected(built.error());
  if (*built) return **std::move(built);
  return measure_built(*commit, ids);
}

Result<CommitOutcome> CommitMeasuring::measure_built(const Commit& commit, const std::vector<std::string>& ids) {
  const auto plan = plan_for(ids);
  if (!plan) {
    if (!is_of_the_commit(plan.error())) return std::unexpected(plan.error());
    return not_measured(plan.error());
  }
  const std::string tree = workshop_.tree();
  RunRequest request{
      .plan = &*plan,
      .caller = workshop_.caller(),
      .settings = request_.settings,
      .tools = request_.tools,
      .suite = suite_.is_program() ? "" : suite_.name(),
      .source = {.measured = (fs::path(tree) / suite_.name()).string(), .folder = tree, .commit = commit.id}};
  const auto digests = built_digests(workspace_, request, tree);
  if (!digests) {
    if (!is_of_the_commit(digests.error())) return std::unexpected(digests.error());
    return not_measured(digests.error());
  }
  if (const Known* const same = with_digests(*digests)) {
    std::vector<std::string> asked;
    for (const Case& one : plan->cases) asked.push_back(one.id);
    MeasuredCommit found = carried(*same, commit, asked, true);
    if (auto noted = note_origin(found); !noted) return std::unexpected(noted.error());
    // A copy: `same` points into what grows.
    Known known{.measured = same->measured, .tree = commit.tree, .digests = *digests, .whole = ids.empty()};
    known_.push_back(std::move(known));
    return found;
  }
  MeasuredCommit measured;
  if (request_.profiles) {
    measured.path = folder_of(commit.id) + "/record.json";
    request.profiles = ProfileRequest{.folder = measured.path + ".profiles", .name = "record.json.profiles"};
    request.profiles->probes.set(probes::kCalls, true);
    request.profiles->probes.set(probes::kPythonFunctions, true);
  }
  auto result = tally::measure(workspace_, request, observer_);
  if (!result) {
    if (!is_of_the_commit(result.error())) return std::unexpected(result.error());
    return not_measured(result.error());
  }
  if (result->stopped) return std::unexpected(*result->stopped);
  if (result->interrupted) return fail(ErrorKind::interrupted, "the measurement was interrupted");
  // The work tree has a name of its own; the repository keeps its.
  result->record.source = source_of(repository_, commit);
  if (!measured.path.empty()) {
    if (auto kept = keep_beside_profiles(measured.path, *result); !kept) return std::unexpected(kept.error());
  }
  measured.record = std::move(result->record);
  known_.push_back({.measured = measured, .tree = commit.tree, .digests = *digests, .whole = ids.empty()});
  return measured;
}

}  // namespace tally
