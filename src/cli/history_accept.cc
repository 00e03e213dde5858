#include "cli/history_accept.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <span>

#include "base/contains.h"
#include "base/date.h"
#include "base/files.h"
#include "base/output_place.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "cli/history_view.h"
#include "cli/refuse.h"
#include "comparison/check.h"
#include "git/repository.h"
#include "process/real_runner.h"
#include "records/record_files.h"
#include "report/text/format.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

/// Long enough for a release, short enough that somebody looks again.
constexpr std::chrono::days kUsualTerm(90);

/// Of ids of a million commits these digits are one's alone.
constexpr std::size_t kCommitDigits = 12;

Result<double> read_up_to(const std::string& text) {
  const auto limit = parse_limit("instructions=" + text);
  if (limit && limit->kind == Limit::Kind::share) return limit->value;
  return fail(ErrorKind::input, fmt::format("'{}' is not a change in percent", text), "--up-to", "write --up-to +3%");
}

Result<std::string> read_expires(const std::string& text, const std::string& now) {
  const auto today = parse_date(now.substr(0, 10));
  if (text.empty()) return to_string(today.value_or(std::chrono::sys_days()) + kUsualTerm);
  const auto day = parse_date(text);
  if (!day) return fail(ErrorKind::input, fmt::format("'{}' is not a date", text), "--expires", "write 2027-03-01");
  if (today && *day <= *today)
    return fail(ErrorKind::input, fmt::format("{} is not in the future", text), "--expires", "name a later day");
  return text;
}

/// What rose in the history, and was not acknowledged.
struct OpenChange {
  std::string id;
  double change = 0;
  Metric metric = Metric::instructions;
  std::string commit;  ///< The last that it may be of; of a drift, the one that it came to.
};

bool is_at(const Acceptance& one, std::span<const CommitName> commits) {
  return std::ranges::any_of(commits, [&](const CommitName& name) { return name.id.starts_with(one.commit); });
}

/// Whether it is about a case that became slower there, acknowledged or not.
bool is_about_a_slower_one(const HistoryView& view, const Acceptance& one) {
  for (std::size_t run = 0; run < view.course.entries.size(); ++run) {
    for (const CountStep& step : view.course.entries[run].steps) {
      if (step.is_slower() && one.is_about(view.id(step.of)) && is_at(one, view.candidates(run, step))) return true;
    }
  }
  return false;
}

std::vector<OpenChange> open_changes(const HistoryView& view, const Acceptance& one) {
  std::vector<OpenChange> open;
  for (std::size_t run = 0; run < view.course.entries.size(); ++run) {
    for (const CountStep& step : view.course.entries[run].steps) {
      const auto candidates = view.candidates(run, step);
      if (one.is_about(view.id(step.of)) && is_at(one, candidates) && view.is_finding(run, step))
        open.push_back({view.id(step.of), step.counts.change, step.counts.metric, candidates.back().id});
    }
  }
  for (const Drift& drift : view.course.drifts) {
    const std::string& until = view.commit(drift.until).id;
    if (one.is_about(view.id(drift.of)) && until.starts_with(one.commit) && view.is_finding(drift))
      open.push_back({view.id(drift.of), drift.counts.change, drift.counts.metric, until});
  }
  return open;
}

/// The case that was meant: a glob over several stays one.
Result<std::string> cases_of(const HistoryView& view, const std::string& wanted) {
  std::vector<std::string> ids;
  ids.reserve(view.history.cases.size());
  for (const CaseSeries& series : view.history.cases) {
    if (series.of == SeriesOf::case_itself) ids.push_back(series.id);
  }
  const auto matches = [&](const std::string& id) { return glob_match(wanted, id); };
  if (wanted.contains('*') && !contains(ids, wanted) && std::ranges::any_of(ids, matches)) return wanted;
  return choose_id(ids, wanted, view.history.suite);
}

/// In tenths of a percent, and not below the change.
std::string sufficient(double change) { return fmt::format("+{:.10g}%", std::ceil(change * 1000 - 1e-9) / 10); }

/// What the cases that the entry is about are followed by: the metric of its open changes, else of their last figures.
/// An error (input): open changes of several metrics, of which one entry agrees to one.
Result<Metric> metric_of_cases(const HistoryView& view, const Acceptance& one, const std::vector<OpenChange>& open) {
  std::set<Metric> metrics;
  for (const OpenChange& change : open) metrics.insert(change.metric);
  if (metrics.size() > 1)
    return fail(ErrorKind::input, "the changes that are open are of several metrics", one.cases,
                "an entry is about one: name it (--metric), or agree to them case by case");
  if (!metrics.empty()) return *metrics.begin();
  for (const CaseSeries& series : view.history.cases) {
    const auto last = std::ranges::find_if(series.points.rbegin(), series.points.rend(), &SeriesPoint::has_figure);
    if (one.is_about(series.id) && last != series.points.rend()) return view.history.basis_of(*last).metric;
  }
  return one.metric;
}

/// Fills in what the history knows. An error: the entry would not cover what it is about.
Status hold_against(const HistoryView& view, const HistoryAccept& asked, Acceptance& one, std::ostream& err) {
  const std::string& up_to = asked.up_to;
  const auto cases = cases_of(view, one.cases);
  if (!cases) return std::unexpected(cases.error());
  one.cases = *cases;
  auto open = open_changes(view, one);
  if (asked.metric.empty()) {
    const auto metric = metric_of_cases(view, one, open);
    if (!metric) return std::unexpected(metric.error());
    one.metric = *metric;
  } else {
    std::erase_if(open, [&](const OpenChange& change) { return change.metric != one.metric; });
  }
  if (open.empty()) {
    fmt::print(err, "tally history: nothing is open of {}{}: {}\n", one.cases,
               one.commit.empty() ? "" : " at " + one.commit,
               is_about_a_slower_one(view, one) ? "what made it slower is acknowledged already"
                                                : "the entry waits for a change to come");
    return {};
  }
  const auto largest = std::ranges::max_element(open, {}, &OpenChange::change);
  if (!one.allows(largest->change)) {
    const bool finite = std::isfinite(largest->change);
    return fail(ErrorKind::input,
                fmt::format("the change is {}, and --up-to {} would not cover it",
                            finite ? format_change(largest->change) : "from nothing", up_to),
                largest->id, finite ? "say --up-to " + sufficient(largest->change) : "no share covers it");
  }
  std::set<std::string> commits;
  for (const OpenChange& change : open) commits.insert(change.commit);
  if (one.commit.empty() && commits.size() == 1) one.commit = commits.begin()->substr(0, kCommitDigits);
  return {};
}

/// Nothing where no history was begun. It is an error where one was named that is not there.
Result<std::optional<LoadedHistory>> history_of(const Context& context, const HistoryOptions& options,
                                                std::ostream& err) {
  std::error_code code;
  if (options.store == HistoryOptions().store && !fs::exists(options.store, code)) return std::nullopt;
  auto history = load_history(context, options, {}, err);
  if (!history) return std::unexpected(history.error());
  return *std::move(history);
}

Result<Acceptance> entry_of(const HistoryOptions& options, const std::optional<Repository>& repository,
                            const std::string& now) {
  const HistoryAccept& asked = options.accepted;
  const auto up_to = read_up_to(asked.up_to);
  if (!up_to) return std::unexpected(up_to.error());
  const auto expires = read_expires(asked.expires, now);
  if (!expires) return std::unexpected(expires.error());
  if (trim(asked.reason).empty())
    return fail(ErrorKind::input, "an acceptance needs a reason", "--reason", "say why it may be so");
  constexpr std::array kFollowed = {Metric::instructions, Metric::kernels, Metric::value, Metric::memory};
  const auto metric = asked.metric.empty() ? Metric::instructions : metric_named(asked.metric);
  if (!metric || !contains(kFollowed, *metric))
    return fail(ErrorKind::input, "not a metric whose changes a history finds: " + asked.metric, "--metric",
                "one of instructions, kernels, value, memory");
  Acceptance one{.cases = options.case_id,
                 .metric = *metric,
                 .up_to = *up_to,
                 .reason = asked.reason,
                 .expires = *expires,
                 .commit = asked.commit,
                 .owner = asked.owner,
                 .issue = asked.issue,
                 .where = {}};
  if (!repository) return one;
  if (one.owner.empty()) one.owner = repository->user_name();
  if (!one.commit.empty()) {
    const auto commit = repository->commit(one.commit);
    if (!commit) return std::unexpected(commit.error());
    one.commit = commit->id.substr(0, kCommitDigits);
  }
  return one;
}

Result<std::string> accept_path(const HistoryOptions& options, const std::optional<Repository>& repository) {
  if (options.shown.accept.empty() && !repository)
    return fail(ErrorKind::input, "there is no repository for tally-accept.toml to stand in", {},
                "name the file with --accept FILE");
  const fs::path path =
      options.shown.accept.empty() ? fs::path(repository->top()) / kAcceptFile : fs::path(options.shown.accept);
  // A link is written through, not replaced.
  std::error_code code;
  const fs::path real = fs::weakly_canonical(path, code);
  return code ? path.string() : real.string();
}

std::string summary_of(const Acceptance& one) {
  std::string text = fmt::format("{}: {} up to {}", one.where, printable(one.cases), format_change(one.up_to));
  if (one.metric != Metric::instructions) text += fmt::format(" of its {}", to_string(one.metric));
  if (!one.commit.empty()) text += ", of " + one.commit;
  text += ", until " + one.expires;
  if (!one.owner.empty()) text += ", " + printable(one.owner);
  return text;
}

/// Whether the name still means the file that is open.
bool is_named(const UniqueFd& file, const std::string& path) {
  struct stat open_one{};
  struct stat named{};
  return ::fstat(file.get(), &open_one) == 0 && ::stat(path.c_str(), &named) == 0 && open_one.st_ino == named.st_ino &&
         open_one.st_dev == named.st_dev;
}

/// Until it goes, nobody else appends to the file, which is made where there is none. Of eight agreements at once,
/// three were lost without. Where the disk grants no locks, it holds none.
Result<UniqueFd> hold(const fs::path& path) {
  if (path.has_parent_path()) {
    if (const Status made = make_folder(path.parent_path()); !made) return std::unexpected(made.error());
  }
  for (;;) {
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0666));
    if (!file) return std::unexpected(errno_error("open", path.string()));
    while (::flock(file.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
    // Who held it before has put another file in its place.
    if (is_named(file, path.string())) return file;
  }
}

Status append_held(const std::string& path, const Acceptance& one, std::ostream& out) {
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  const auto file = parse_accept_file(*text, path);
  if (!file) return std::unexpected(file.error());
  if (const Acceptance* const known = covering(*file, one)) {
    fmt::print(out, "{} (there already)\n", summary_of(*known));
    return {};
  }
  const auto with = with_acceptance(*text, one, path);
  if (!with) return std::unexpected(with.error());
  if (const Status written = write_file(path, *with); !written) return written;
  fmt::print(out, "{}\n", summary_of(parse_accept_file(*with, path)->accepted.back()));
  return {};
}

Status append(const std::string& path, const Acceptance& one, std::ostream& out) {
  std::error_code code;
  const bool is_new = !fs::exists(path, code);
  const auto held = hold(path);
  if (!held) return std::unexpected(held.error());
  Status appended = append_held(path, one, out);
  if (!appended && is_new && fs::file_size(path, code) == 0) fs::remove(path, code);
  return appended;
}

Status accept_one(const Context& context, const HistoryOptions& options, std::ostream& out, std::ostream& err) {
  RealProcessRunner runner(context.libexec + "/tally-supervisor");
  const std::string folder = options.repository.empty() ? context.working_folder : options.repository;
  const auto repository = Repository::find(runner, context.environment, folder);
  if (!repository) return std::unexpected(repository.error());
  auto one = entry_of(options, *repository, context.now);
  if (!one) return std::unexpected(one.error());
  const auto path = accept_path(options, *repository);
  if (!path) return std::unexpected(path.error());
  const auto history = history_of(context, options, err);
  if (!history) return std::unexpected(history.error());
  if (*history) {
    if (const Status held = hold_against((*history)->view, options.accepted, *one, err); !held) return held;
  }
  return append(*path, *one, out);
}

}  // namespace

int accept_change(const Context& context, const HistoryOptions& options, std::ostream& out, std::ostream& err) {
  const Status accepted = accept_one(context, options, out, err);
  if (accepted) return kFine;
  return refuse("history", accepted.error(), err, accepted.error().kind == ErrorKind::io ? kFailed : kUsage);
}

}  // namespace tally::cli
