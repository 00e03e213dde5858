#include "history/loaded.h"

#include <optional>
#include <unordered_map>
#include <utility>

namespace tally {

std::vector<PlacedRun> placed_on(const CommitLine& line, const std::vector<IndexedRun>& runs) {
  std::unordered_map<std::string_view, std::size_t> places;
  places.reserve(line.commits.size());
  for (std::size_t i = 0; i < line.commits.size(); ++i) places.emplace(line.commits[i].id, i);
  std::vector<PlacedRun> placed;
  placed.reserve(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (const auto at = places.find(runs[i].commit); at != places.end())
      placed.push_back({.run = i, .place = at->second, .environment = runs[i].environment, .started = runs[i].started});
  }
  return placed;
}

Result<History> read_history(const HistoryIndex& index, std::string suite, CommitLine line,
                             std::vector<IndexedRun> runs, const ChosenRuns& chosen, std::string_view only) {
  History history;
  history.suite = std::move(suite);
  history.line = std::move(line);
  std::vector<std::optional<PlaceOfPart>> places;
  for (const PlacedRun& one : chosen.runs) {
    IndexedRun& run = runs[one.run];
    if (history.runs.empty() || history.line.measured.back() != one.place ||
        history.runs.back().environment != run.environment) {
      history.line.measured.push_back(one.place);
      history.runs.push_back({.environment = run.environment, .parts = {}});
    }
    std::vector<StoredPart>& parts = history.runs.back().parts;
    const auto number = static_cast<std::size_t>(run.id);
    if (places.size() <= number) places.resize(number + 1);
    places[number] = PlaceOfPart{.run = static_cast<std::uint32_t>(history.runs.size() - 1),
                                 .part = static_cast<std::uint32_t>(parts.size())};
    parts.push_back({.id = run.id,
                     .processor = std::move(run.processor),
                     .started = std::move(run.started),
                     .file = std::move(run.file)});
  }
  if (auto loaded = index.load(history.suite, places, only, history); !loaded) return std::unexpected(loaded.error());
  return history;
}

}  // namespace tally
