#include "cli/history_backfill.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>
#include <ranges>
#include <set>

#include "base/text.h"
#include "cli/refuse.h"
#include "plan/shard.h"
#include "report/text/format.h"

namespace tally::cli {
namespace {

int not_filled(const Error& error, std::ostream& err) {
  const int code = error.kind == ErrorKind::interrupted ? kInterrupted
                   : error.kind == ErrorKind::input     ? kUsage
                                                        : kFailed;
  return refuse("history", error, err, code);
}

Result<std::vector<CommitTitle>> commits_between(const Repository& repository, const std::string& range) {
  const std::size_t dots = range.find("..");
  if (dots == std::string::npos || range.substr(dots).starts_with("...") || dots == 0) {
    return fail(ErrorKind::input, fmt::format("'{}' is not a range of commits", range), {},
                "write FROM..TO, or --last 50");
  }
  const auto from = repository.commit(range.substr(0, dots));
  if (!from) return std::unexpected(from.error());
  const std::string end = range.substr(dots + 2);
  const auto to = repository.commit(end.empty() ? "HEAD" : end);
  if (!to) return std::unexpected(to.error());
  const auto line = repository.line_between(from->id, to->id);
  if (!line) return std::unexpected(line.error());
  if (line->size() < 2)
    return fail(ErrorKind::input, "there are no commits between the two", range, "name the earlier one first");
  std::vector<CommitTitle> commits;
  for (std::size_t i = line->size() - 1; i > 0; --i) commits.push_back((*line)[i].title);
  return commits;
}

/// Newest first.
Result<std::vector<CommitTitle>> commits_meant(const Repository& repository, const BackfillOptions& options) {
  if ((options.last > 0) == !options.range.empty()) {
    return fail(ErrorKind::input, options.range.empty() ? "which commits is missing" : "commits are named twice", {},
                "say --last 50, or FROM..TO");
  }
  if (options.last == 0) return commits_between(repository, options.range);
  const auto head = repository.commit("HEAD");
  if (!head) return std::unexpected(head.error());
  auto line = repository.first_parent_line(head->id);
  if (!line) return std::unexpected(line.error());
  std::vector<CommitTitle> last;
  for (LineCommit& one : *line | std::views::take(options.last)) last.push_back(std::move(one.title));
  return last;
}

/// Every K-th, and of these the part's: by their places alone, so that no part need know of the others.
Result<std::vector<CommitTitle>> dealt(const std::vector<CommitTitle>& commits, const BackfillOptions& options) {
  Shard shard;
  if (!options.shard.empty()) {
    auto read = parse_shard(options.shard);
    if (!read) return std::unexpected(read.error());
    shard = *read;
  }
  std::vector<CommitTitle> own;
  std::size_t place = 0;
  for (std::size_t i = 0; i < commits.size(); i += static_cast<std::size_t>(options.every), ++place) {
    if (place % static_cast<std::size_t>(shard.count) == static_cast<std::size_t>(shard.index - 1))
      own.push_back(commits[i]);
  }
  return own;
}

Result<std::set<std::string>> commits_in_store(CommitRunner& commits) {
  const auto runs = commits.store().runs();
  if (!runs) return std::unexpected(runs.error());
  std::set<std::string> stored;
  for (const StoredRun& run : *runs) {
    if (run.suite == commits.suite()) stored.insert(run.commit);
  }
  return stored;
}

struct Filled {
  std::size_t measured = 0;
  std::size_t carried = 0;
  std::size_t failed = 0;
};

/// A commit whose cases fail is kept as well, and looks like any other: what failed is reported.
void report_failed_cases(const CommitTitle& commit, const Record& record, std::ostream& err) {
  const auto has_failed = [](const CaseRecord& one) { return one.failure.has_value(); };
  const auto first = std::ranges::find_if(record.cases, has_failed);
  if (first == record.cases.end()) return;
  fmt::print(err, "tally history: {} \"{}\": {} of {} cases failed; {}: {}\n", short_commit(commit.id),
             printable(commit.title), std::ranges::count_if(record.cases, has_failed), record.cases.size(), first->id,
             printable(trim(first_line(first->failure->message))));
}

Status fill_one(CommitRunner& commits, const CommitTitle& commit, Filled& filled, std::ostream& out,
                std::ostream& err) {
  if (commits.is_interrupted()) return fail(ErrorKind::interrupted, "interrupted");
  const auto outcome = commits.commits().measure(commit.id, {});
  if (!outcome) return std::unexpected(outcome.error());
  if (const auto* const failed = std::get_if<NotMeasured>(&*outcome)) {
    ++filled.failed;
    fmt::print(err, "tally history: {} \"{}\" {}\n", short_commit(commit.id), printable(commit.title),
               printable(describe(*failed), true));
    return {};
  }
  const auto& measured = std::get<MeasuredCommit>(*outcome);
  report_failed_cases(commit, measured.record, err);
  const auto added = commits.store().add(measured.record, commit.id);
  if (!added) return std::unexpected(added.error());
  commits.keep_complete(commit.id, measured.record);
  ++(measured.same_as.empty() ? filled.measured : filled.carried);
  fmt::print(out, "{}{}\n", commits.store().files().place_of(added->file),
             measured.same_as.empty()
                 ? ""
                 : fmt::format(" (carried forward: the {} of {})", measured.was_built ? "built files" : "files",
                               short_commit(measured.same_as)));
  return {};
}

}  // namespace

void add_backfill_options(OptionSet& command, BackfillOptions& options) {
  command.add("RANGE", &options.range, "Commits to measure, as FROM..TO: those after FROM, up to and including TO");
  command.add("--last", &options.last, "Measure the last N commits, from HEAD back")
      .value_name("N")
      .range(1, 1'000'000);
  command.add("--every", &options.every, "Measure only every K-th of them, from the newest")
      .value_name("K")
      .shows_default()
      .range(1, 1'000'000);
  command.add("--shard", &options.shard, "Measure the i-th of n parts of these, by their places on the line")
      .value_name("i/n");
  command.add("--times", &options.commits.times, "Also take times");
  add_commit_options(command, options.commits);
}

void add_bridge_options(OptionSet& command, BackfillOptions& options) {
  command.add("COMMIT", &options.bridge, "The commit that joins what was measured elsewhere with what is here")
      .required();
  command.add("--times", &options.commits.times, "Also take times");
  add_commit_options(command, options.commits);
}

int run_backfill(const Context& context, const BackfillOptions& options, std::ostream& out, std::ostream& err) {
  auto session = open_commits(context, options.commits, false, "history", err);
  if (!session) return not_filled(session.error(), err);
  CommitRunner& runner = *session->commits;
  const auto commits = commits_meant(runner.repository(), options);
  if (!commits) return not_filled(commits.error(), err);
  auto own = dealt(*commits, options);
  if (!own) return not_filled(own.error(), err);
  const auto there = commits_in_store(runner);
  if (!there) return not_filled(there.error(), err);
  const auto known = std::erase_if(*own, [&](const CommitTitle& commit) { return there->contains(commit.id); });
  Filled filled;
  std::size_t done = 0;
  for (const CommitTitle& commit : *own) {
    runner.say(fmt::format("[{}/{}] {} \"{}\"", ++done, own->size(), short_commit(commit.id), commit.title));
    if (auto status = fill_one(runner, commit, filled, out, err); !status) return not_filled(status.error(), err);
  }
  fmt::print(out, "{}: {} measured, {} carried forward, {} already there, {} that could not be measured\n",
             options.commits.store, filled.measured, filled.carried, known, filled.failed);
  return filled.failed > 0 ? kFailed : kFine;
}

int run_bridge(const Context& context, const BackfillOptions& options, std::ostream& out, std::ostream& err) {
  auto session = open_commits(context, options.commits, false, "history", err);
  if (!session) return not_filled(session.error(), err);
  CommitRunner& runner = *session->commits;
  const auto commit = runner.repository().commit(options.bridge);
  if (!commit) return not_filled(commit.error(), err);
  Filled filled;
  const auto status = fill_one(runner, {.id = commit->id, .author = {}, .title = options.bridge}, filled, out, err);
  if (!status) return not_filled(status.error(), err);
  return filled.failed > 0 ? kFailed : kFine;
}

}  // namespace tally::cli
