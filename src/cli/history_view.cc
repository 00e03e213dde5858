#include "cli/history_view.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <unordered_map>

#include "base/files.h"
#include "base/text.h"
#include "git/repository.h"
#include "history/store.h"
#include "process/real_runner.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

struct Place {
  CommitLine line;
  std::string top;
};

Result<Place> line_of(const Context& context, const HistoryOptions& options) {
  RealProcessRunner runner(context.libexec + "/tally-supervisor");
  const std::string folder = options.repository.empty() ? context.working_folder : options.repository;
  const auto repository = Repository::find(runner, context.environment, folder);
  if (!repository) return std::unexpected(repository.error());
  if (!*repository) {
    return fail(ErrorKind::input, "is in no git repository, and a history is told along its commits", folder,
                "name the repository with --repository DIR");
  }
  const auto tip = (*repository)->commit(options.shown.tip);
  if (!tip) return std::unexpected(tip.error());
  auto commits = (*repository)->first_parent_line(tip->id);
  if (!commits) return std::unexpected(commits.error());
  Place place{.line = {}, .top = (*repository)->top()};
  place.line.commits.reserve(commits->size());
  for (CommitTitle& commit : *commits)
    place.line.commits.push_back({std::move(commit.id), std::move(commit.author), std::move(commit.title)});
  std::ranges::reverse(place.line.commits);
  return place;
}

std::string list_of(const std::set<std::string>& names) {
  return join(std::vector<std::string>(names.begin(), names.end()), ", ");
}

using Places = std::unordered_map<std::string_view, std::size_t>;

/// How far along the line a lane was measured; nothing where no commit of it is on the line.
std::optional<std::size_t> last_place(const Lane& lane, const Places& places) {
  std::optional<std::size_t> last;
  for (const StoredRun& run : lane.runs) {
    if (const auto at = places.find(run.commit); at != places.end()) last = std::max(last.value_or(0), at->second);
  }
  return last;
}

Result<Lane> choose_lane(const HistoryOptions& options, const Places& places, std::ostream& err) {
  auto lanes = HistoryStore(options.store).lanes();
  if (!lanes) return std::unexpected(lanes.error());
  if (lanes->empty()) {
    return fail(ErrorKind::input, "there is no history", options.store,
                "begin one with tally history add RECORD, or name it with --store DIR");
  }
  const HistoryShow& shown = options.shown;
  std::set<std::string> suites;
  for (const Lane& lane : *lanes) suites.insert(lane.suite);
  if (!shown.suite.empty() && !suites.contains(shown.suite))
    return fail(ErrorKind::input, fmt::format("'{}' has no history here", shown.suite), "--suite",
                "there is one of " + list_of(suites));
  if (shown.suite.empty() && suites.size() > 1)
    return fail(ErrorKind::input, "there are histories of several suites", options.store,
                "name one with --suite: " + list_of(suites));
  std::erase_if(*lanes, [&](const Lane& lane) { return !shown.suite.empty() && lane.suite != shown.suite; });
  std::set<std::string> environments;
  for (const Lane& lane : *lanes) environments.insert(lane.environment);
  std::erase_if(*lanes, [&](const Lane& lane) { return !lane.environment.starts_with(shown.environment); });
  if (lanes->empty())
    return fail(ErrorKind::input, fmt::format("no environment's name begins with '{}'", shown.environment),
                "--environment", "there are " + list_of(environments));
  const auto chosen = std::ranges::max_element(
      *lanes, {}, [&](const Lane& lane) { return std::pair(last_place(lane, places), lane.runs.size()); });
  if (!last_place(*chosen, places)) {
    return fail(ErrorKind::input, fmt::format("none of its runs is of a commit on the line of {}", shown.tip),
                chosen->suite, "name another with --tip, or the repository with --repository DIR");
  }
  environments.erase(chosen->environment);
  if (!environments.empty() && shown.environment.empty())
    fmt::print(err, "tally history: measured in other environments, too: {} (--environment)\n", list_of(environments));
  return std::move(*chosen);
}

/// The records of a lane by their commits' places; of several of one commit the one that was measured last.
Result<std::map<std::size_t, Record>> load_runs(const Lane& lane, const Places& places, std::ostream& err) {
  std::map<std::size_t, Record> records;
  std::size_t elsewhere = 0;
  std::size_t older = 0;
  for (const StoredRun& run : lane.runs) {
    const auto at = places.find(run.commit);
    if (at == places.end()) {
      ++elsewhere;
      continue;
    }
    auto record = load_run(run);
    if (!record) return std::unexpected(record.error());
    const auto known = records.find(at->second);
    older += known != records.end();
    if (known == records.end() || record->started > known->second.started) records[at->second] = *std::move(record);
  }
  if (elsewhere > 0) fmt::print(err, "tally history: {} of commits that are not on this line\n", elsewhere);
  if (older > 0) fmt::print(err, "tally history: {} beside a later run of the same commit\n", older);
  return records;
}

Result<std::vector<Acceptance>> read_ledger(const HistoryOptions& options, const std::string& top) {
  const std::string path = options.shown.accept.empty() ? (fs::path(top) / kAcceptFile).string() : options.shown.accept;
  std::error_code code;
  if (options.shown.accept.empty() && !fs::exists(path, code)) return std::vector<Acceptance>();
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  auto file = parse_accept_file(*text, path);
  if (!file) return std::unexpected(file.error());
  return std::move(file->accepted);
}

}  // namespace

Result<LoadedHistory> load_history(const Context& context, const HistoryOptions& options, std::ostream& err) {
  auto place = line_of(context, options);
  if (!place) return std::unexpected(place.error());
  Places places;
  for (std::size_t i = 0; i < place->line.commits.size(); ++i) places.emplace(place->line.commits[i].id, i);
  auto lane = choose_lane(options, places, err);
  if (!lane) return std::unexpected(lane.error());
  auto records = load_runs(*lane, places, err);
  if (!records) return std::unexpected(records.error());
  auto accepted = read_ledger(options, place->top);
  if (!accepted) return std::unexpected(accepted.error());

  LoadedHistory history;
  HistoryView& view = history.view;
  for (auto& [at, record] : *records) {
    place->line.measured.push_back(at);
    view.runs.push_back(&history.records.emplace_back(std::move(record)));
  }
  view.suite = lane->suite;
  view.environment = lane->environment;
  view.line = std::move(place->line);
  view.course = course_of(view.runs, {.denoise = options.shown.denoise});
  view.accepted = *std::move(accepted);
  view.today = options.now.substr(0, 10);
  view.budget = options.shown.drift / 100;
  return history;
}

}  // namespace tally::cli
