#include "cli/history_profiles.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/files.h"
#include "cli/history_view.h"
#include "history/kept_line.h"
#include "history/loaded.h"
#include "records/record_files.h"
#include "run/probes/table.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

/// Stems that explain something in one suite.
Status add_kept(const HistoryIndex& index, const std::string& suite, const CommitLine& line,
                std::set<std::string>& kept) {
  const auto profiles = index.profiles(suite);
  if (!profiles) return std::unexpected(profiles.error());
  if (profiles->empty()) return {};
  const auto runs = index.runs(suite);
  if (!runs) return std::unexpected(runs.error());
  const std::vector<PlacedRun> placed = placed_on(line, *runs);

  std::set<std::int64_t> on_line;
  std::set<std::string> environments;
  for (const PlacedRun& one : placed) {
    on_line.insert((*runs)[one.run].id);
    environments.emplace(one.environment);
  }
  std::map<std::pair<std::int64_t, std::string>, std::string> stems;
  for (const IndexedProfile& one : *profiles) {
    stems[{one.run, one.case_id}] = one.stem;
    if (!on_line.contains(one.run)) kept.insert(one.stem);
  }
  for (const std::string& environment : environments) {
    const auto chosen = choose_runs(placed, environment);
    if (!chosen) return std::unexpected(chosen.error());
    const auto history = read_history(index, suite, line, *runs, *chosen);
    if (!history) return std::unexpected(history.error());
    for (const auto& [of, run] : edges_of(*history, course_of(*history, {}))) {
      const SeriesPoint* const point = history->cases[of].at(run);
      if (point == nullptr) continue;
      const auto stem = stems.find({history->part_of(*point).id, history->cases[of].id});
      if (stem != stems.end()) kept.insert(stem->second);
    }
  }
  return {};
}

/// A case of a stored run as a record of its own.
std::optional<Record> record_of_case(const HistoryStore& store, const std::string& file, const std::string& id) {
  auto record = store.load(file);
  if (!record) return std::nullopt;
  std::erase_if(record->cases, [&](const CaseRecord& one) { return one.id != id; });
  return record->cases.empty() ? std::nullopt : std::optional(*std::move(record));
}

std::optional<StoredProfile> stored_profile(const HistoryStore& store, const std::string& stem, ProfileOf what) {
  const std::string file = stem + std::string(what == ProfileOf::native ? ".json" : probes::kPythonFunctions.suffix);
  if (stem.empty() || !store.files().has(file)) return std::nullopt;
  const auto text = store.files().read(file);
  if (!text) return std::nullopt;
  auto profile = read_profile(*text, store.files().place_of(file));
  return profile ? std::optional(*std::move(profile)) : std::nullopt;
}

}  // namespace

ProfileReader profiles_of(const std::string& path) {
  return [folder = fs::path(path).parent_path()](const CaseRecord& one) -> std::optional<ProfileTexts> {
    if (!one.profile) return std::nullopt;
    fs::path file = folder / *one.profile;
    auto native = read_file(file);
    if (!native) return std::nullopt;
    ProfileTexts texts{.native = *std::move(native), .python = std::nullopt};
    file.replace_extension(probes::kPythonFunctions.suffix);
    if (auto python = read_file(file)) texts.python = *std::move(python);
    return texts;
  };
}

Result<std::size_t> prune_profiles(const Repository& repository, const std::string& tip, HistoryStore& store) {
  const auto files = store.files().names("profiles");
  if (!files) return std::unexpected(files.error());
  if (files->files.empty()) return 0;
  const auto index = store.index();
  if (!index) return std::unexpected(index.error());
  const auto line = line_of(repository, tip, **index);
  if (!line) return std::unexpected(line.error());
  const auto suites = (*index)->suites();
  if (!suites) return std::unexpected(suites.error());
  std::set<std::string> kept;
  for (const std::string& suite : *suites) {
    if (auto added = add_kept(**index, suite, *line, kept); !added) return std::unexpected(added.error());
  }
  std::vector<std::string> gone;
  std::ranges::copy_if(files->files, std::back_inserter(gone),
                       [&](const std::string& file) { return !kept.contains(stem_of_file(file)); });
  if (gone.empty()) return 0;
  if (auto removed = store.files().remove(gone, "Remove profiles that explain no change"); !removed)
    return std::unexpected(removed.error());
  return gone.size();
}

Result<PointProfiles> step_profiles(HistoryStore& store, const HistoryView& view) {
  const History& history = view.history;
  std::set<std::pair<std::size_t, std::size_t>> wanted;
  for (std::size_t run = 0; run < view.course.entries.size(); ++run) {
    for (const CountStep& step : view.course.entries[run].steps) {
      wanted.emplace(step.of, step.since);
      wanted.emplace(step.of, run);
    }
  }
  const auto index = store.index();
  if (!index) return std::unexpected(index.error());
  const auto profiles = (*index)->profiles(history.suite);
  if (!profiles) return std::unexpected(profiles.error());
  std::unordered_map<std::int64_t, std::size_t> runs;
  for (std::size_t run = 0; run < history.runs.size(); ++run) {
    for (const StoredPart& part : history.runs[run].parts) runs.emplace(part.id, run);
  }
  std::unordered_map<std::string_view, std::size_t> cases;
  for (std::size_t of = 0; of < history.cases.size(); ++of) cases.emplace(history.cases[of].id, of);
  std::map<std::pair<std::size_t, std::size_t>, std::string> stems;
  for (const IndexedProfile& one : *profiles) {
    const auto run = runs.find(one.run);
    const auto of = cases.find(one.case_id);
    if (run == runs.end() || of == cases.end()) continue;
    const std::pair place(of->second, run->second);
    if (!wanted.contains(place)) continue;
    // Of the runs of one commit, that which the case's point is of.
    const SeriesPoint* const point = history.cases[of->second].at(run->second);
    if (point != nullptr && history.part_of(*point).id == one.run) stems[place] = one.stem;
  }
  return [&store, stems = std::move(stems)](std::size_t of, std::size_t run, ProfileOf what) {
    const auto stem = stems.find({of, run});
    return stem == stems.end() ? std::nullopt : stored_profile(store, stem->second, what);
  };
}

StepFunctions step_functions(const HistoryStore& store, const HistoryView& view) {
  return [&store, &view](std::size_t run, const CountStep& step) -> std::vector<FunctionDelta> {
    const auto record_at = [&](std::size_t at) -> std::optional<Record> {
      const SeriesPoint* const point = view.history.cases[step.of].at(at);
      if (point == nullptr) return std::nullopt;
      return record_of_case(store, view.history.part_of(*point).file, view.id(step.of));
    };
    const auto before = record_at(step.since);
    const auto after = record_at(run);
    if (!before || !after) return {};
    const auto profiles = [&store](const Record&, const CaseRecord& one, ProfileOf what) {
      return stored_profile(store, one.profile ? stem_of_path(*one.profile) : std::string(), what);
    };
    const Comparison compared = compare(*before, *after, {}, {.profiles = profiles});
    if (compared.cases.empty()) return {};
    const CaseComparison& one = compared.cases.front();
    return one.python.empty() ? one.functions : one.python;
  };
}

}  // namespace tally::cli
