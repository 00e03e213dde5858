#include "cli/history_view.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <unordered_map>

#include "base/contains.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/record_files.h"
#include "history/epochs.h"
#include "process/real_runner.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGitStore = "git:";

struct Place {
  CommitLine line;
  std::string top;
};

Result<Place> line_of(const Repository& repository, const std::string& tip_name) {
  const auto tip = repository.commit(tip_name);
  if (!tip) return std::unexpected(tip.error());
  auto commits = repository.first_parent_line(tip->id);
  if (!commits) return std::unexpected(commits.error());
  Place place{.line = {}, .top = repository.top()};
  place.line.commits.reserve(commits->size());
  for (CommitTitle& commit : *commits)
    place.line.commits.push_back({std::move(commit.id), std::move(commit.author), std::move(commit.title)});
  std::ranges::reverse(place.line.commits);
  return place;
}

Result<std::string> choose_suite(const HistoryOptions& options, const HistoryIndex& index) {
  auto suites = index.suites();
  if (!suites) return std::unexpected(suites.error());
  if (suites->empty()) {
    return fail(ErrorKind::input, "there is no history", options.store,
                "begin one with tally history add RECORD, or name it with --store");
  }
  const std::string& named = options.shown.suite;
  if (!named.empty() && !contains(*suites, named))
    return fail(ErrorKind::input, fmt::format("'{}' has no history here", named), "--suite",
                "there is one of " + join(*suites, ", "));
  if (named.empty() && suites->size() > 1)
    return fail(ErrorKind::input, "there are histories of several suites", options.store,
                "name one with --suite: " + join(*suites, ", "));
  return named.empty() ? suites->front() : named;
}

/// The runs that the history is told from; `run` of each is its place among `runs`.
Result<ChosenRuns> choose_runs_of(const HistoryOptions& options, const std::string& suite,
                                  const std::vector<IndexedRun>& runs, const CommitLine& line, std::ostream& err) {
  std::unordered_map<std::string_view, std::size_t> places;
  places.reserve(line.commits.size());
  for (std::size_t i = 0; i < line.commits.size(); ++i) places.emplace(line.commits[i].id, i);
  std::vector<PlacedRun> placed;
  placed.reserve(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (const auto at = places.find(runs[i].commit); at != places.end())
      placed.push_back({.run = i, .place = at->second, .environment = runs[i].environment, .started = runs[i].started});
  }
  if (placed.empty()) {
    return fail(ErrorKind::input, fmt::format("none of its runs is of a commit on the line of {}", options.shown.tip),
                suite, "name another with --tip, or the repository with --repository DIR");
  }
  auto chosen = choose_runs(placed, options.shown.environment);
  if (!chosen) return chosen;
  if (placed.size() < runs.size())
    fmt::print(err, "tally history: {} of commits that are not on this line\n", runs.size() - placed.size());
  if (chosen->earlier_of_same_commit > 0)
    fmt::print(err, "tally history: {} beside a later run of the same commit\n", chosen->earlier_of_same_commit);
  if (!chosen->other_epochs.empty() && options.shown.environment.empty())
    fmt::print(err, "tally history: measured in other environments, too: {} (--environment)\n",
               join(chosen->other_epochs, ", "));
  return chosen;
}

Result<AcceptFile> read_ledger(const HistoryOptions& options, const std::string& top) {
  const std::string path = options.shown.accept.empty() ? (fs::path(top) / kAcceptFile).string() : options.shown.accept;
  std::error_code code;
  if (options.shown.accept.empty() && !fs::exists(path, code)) return AcceptFile();
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  return parse_accept_file(*text, path);
}

}  // namespace

Result<Repository> repository_of(ProcessRunner& runner, const Context& context, const HistoryOptions& options) {
  const std::string folder = options.repository.empty() ? context.working_folder : options.repository;
  auto repository = Repository::find(runner, context.environment, folder);
  if (!repository) return std::unexpected(repository.error());
  if (!*repository) {
    return fail(ErrorKind::input, "is in no git repository, and a history is told along its commits", folder,
                "name the repository with --repository DIR");
  }
  return **std::move(repository);
}

Result<std::unique_ptr<GitFiles>> open_branch(ProcessRunner& runner, const Context& context,
                                              const HistoryOptions& options) {
  if (!options.store.starts_with(kGitStore)) {
    return fail(ErrorKind::input, fmt::format("'{}' is a folder", options.store), "--store",
                "name a branch of the repository: --store git:tally-history");
  }
  const auto repository = repository_of(runner, context, options);
  if (!repository) return std::unexpected(repository.error());
  return GitFiles::open(*repository, options.store.substr(kGitStore.size()));
}

Result<HistoryStore> open_store(ProcessRunner& runner, const Context& context, const HistoryOptions& options) {
  if (!options.store.starts_with(kGitStore))
    return HistoryStore((fs::path(context.working_folder) / options.store).lexically_normal());
  auto branch = open_branch(runner, context, options);
  if (!branch) return std::unexpected(branch.error());
  return HistoryStore(*std::move(branch));
}

Result<HistoryView> load_history(const Context& context, const HistoryOptions& options, const std::string& only,
                                 std::ostream& err) {
  RealProcessRunner runner(context.libexec + "/tally-supervisor");
  const auto repository = repository_of(runner, context, options);
  if (!repository) return std::unexpected(repository.error());
  auto place = line_of(*repository, options.shown.tip);
  if (!place) return std::unexpected(place.error());
  auto store = open_store(runner, context, options);
  if (!store) return std::unexpected(store.error());
  const auto index = store->index();
  if (!index) return std::unexpected(index.error());
  auto suite = choose_suite(options, **index);
  if (!suite) return std::unexpected(suite.error());
  std::string id;
  if (!only.empty()) {
    const auto ids = (*index)->cases(*suite);
    if (!ids) return std::unexpected(ids.error());
    auto meant = choose_id(*ids, only, *suite);
    if (!meant) return std::unexpected(meant.error());
    id = *std::move(meant);
  }
  const auto runs = (*index)->runs(*suite);
  if (!runs) return std::unexpected(runs.error());
  const auto chosen = choose_runs_of(options, *suite, *runs, place->line, err);
  if (!chosen) return std::unexpected(chosen.error());
  auto ledger = read_ledger(options, place->top);
  if (!ledger) return std::unexpected(ledger.error());

  HistoryView view;
  History& history = view.history;
  history.suite = *std::move(suite);
  history.line = std::move(place->line);
  std::vector<std::optional<std::uint32_t>> places;
  for (const PlacedRun& one : chosen->runs) {
    const IndexedRun& run = (*runs)[one.run];
    const auto number = static_cast<std::size_t>(run.id);
    if (places.size() <= number) places.resize(number + 1);
    places[number] = static_cast<std::uint32_t>(history.runs.size());
    history.line.measured.push_back(one.place);
    history.runs.push_back({.environment = run.environment, .started = run.started, .file = run.file});
  }
  if (auto loaded = (*index)->load(history.suite, places, id, history); !loaded) return std::unexpected(loaded.error());
  view.accepted = std::move(ledger->accepted);
  view.today = options.now.substr(0, 10);
  view.budgets = options.shown.drift > 0 ? std::vector<DriftBudget>{{.budget = options.shown.drift / 100}}
                                         : std::move(ledger->drift);
  view.course = course_of(
      history, {.denoise = options.shown.denoise, .agreed = agreed_along(history.line, view.accepted, view.today)});
  return view;
}

}  // namespace tally::cli
