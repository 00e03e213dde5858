#include "cli/history_view.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "base/contains.h"
#include "base/files.h"
#include "base/text.h"
#include "history/epochs.h"
#include "history/kept_line.h"
#include "history/loaded.h"
#include "process/real_runner.h"
#include "records/record_files.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

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

void say_left_out(const HistoryOptions& options, const ChosenRuns& chosen, std::size_t elsewhere, std::ostream& err) {
  if (elsewhere > 0) fmt::print(err, "tally history: {} of commits that are not on this line\n", elsewhere);
  if (chosen.earlier_of_same_commit > 0)
    fmt::print(err, "tally history: {} beside a later run of the same commit: of each case the latest counts\n",
               chosen.earlier_of_same_commit);
  if (!chosen.other_epochs.empty() && options.shown.environment.empty())
    fmt::print(err, "tally history: measured in other environments, too: {} (--environment)\n",
               join(chosen.other_epochs, ", "));
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

NamedStore named_store(const Context& context, const HistoryOptions& options) {
  return {.store = options.store,
          .repository = options.repository,
          .environment = context.environment,
          .working_folder = context.working_folder};
}

Result<LoadedHistory> load_history(const Context& context, const HistoryOptions& options, const std::string& only,
                                   std::ostream& err) {
  auto runner = std::make_unique<RealProcessRunner>(context.libexec + "/tally-supervisor");
  const NamedStore named = named_store(context, options);
  const auto repository = repository_of(*runner, named);
  if (!repository) return std::unexpected(repository.error());
  auto store = open_store(*runner, named);
  if (!store) return std::unexpected(store.error());
  const auto index = store->index();
  if (!index) return std::unexpected(index.error());
  auto line = line_of(*repository, options.shown.tip, **index);
  if (!line) return std::unexpected(line.error());
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
  auto runs = (*index)->runs(*suite);
  if (!runs) return std::unexpected(runs.error());
  const std::vector<PlacedRun> placed = placed_on(*line, *runs);
  if (placed.empty()) {
    return fail(ErrorKind::input, fmt::format("none of its runs is of a commit on the line of {}", options.shown.tip),
                *suite, "name another with --tip, or the repository with --repository DIR");
  }
  const auto chosen = choose_runs(placed, options.shown.environment);
  if (!chosen) return std::unexpected(chosen.error());
  say_left_out(options, *chosen, runs->size() - placed.size(), err);
  auto ledger = read_ledger(options, repository->top());
  if (!ledger) return std::unexpected(ledger.error());
  auto history = read_history(**index, *std::move(suite), *std::move(line), *std::move(runs), *chosen, id);
  if (!history) return std::unexpected(history.error());

  HistoryView view{.history = *std::move(history)};
  view.accepted = std::move(ledger->accepted);
  view.today = context.now.substr(0, 10);
  view.budgets = options.shown.drift > 0 ? std::vector<DriftBudget>{{.budget = options.shown.drift / 100}}
                                         : std::move(ledger->drift);
  view.course = course_of(view.history, {.denoise = options.shown.denoise,
                                         .agreed = agreed_along(view.history.line, view.accepted, view.today)});
  view.times = time_steps(view.history);
  return LoadedHistory{.runner = std::move(runner), .store = *std::move(store), .view = std::move(view)};
}

}  // namespace tally::cli
