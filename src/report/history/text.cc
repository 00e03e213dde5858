#include "report/history/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <span>

#include "base/contains.h"
#include "base/readable_id.h"
#include "report/history/times.h"
#include "report/text/format.h"
#include "report/text/function_table.h"

namespace tally {
namespace {

constexpr std::size_t kShortId = 10;

std::string short_id(const CommitName& commit) { return commit.id.substr(0, kShortId); }

std::string plural(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// "1234567890 to abcdef0123 (4 commits that were not measured apart)"; empty where it is the commit's alone.
std::string range_text(const HistoryView& view, std::size_t run, const CountStep& step) {
  const auto candidates = view.candidates(run, step);
  if (candidates.size() < 2) return {};
  return fmt::format("one of {} commits, {} to {}: those between were not measured", candidates.size(),
                     short_id(candidates.front()), short_id(candidates.back()));
}

std::string moved_functions(std::size_t run, const CountStep& step, const HistoryRender& render) {
  const std::vector<FunctionDelta> deltas = render.functions(run, step);
  if (deltas.empty()) return "      the functions are unknown: profiles of both sides were not kept\n";
  return render_deltas(deltas, render.most, render.options);
}

std::string expired_text(const Acceptance* expired) {
  if (expired == nullptr) return {};
  return fmt::format(", accepted until {}: {}", expired->expires, printable(expired->reason));
}

std::string step_lines(const HistoryView& view, std::size_t run, const CountStep& step, const HistoryRender& render) {
  const Acceptance* const accepted = view.acceptance(run, step);
  const Tint tint = !step.is_slower() ? Tint::good : accepted != nullptr ? Tint::dim : Tint::bad;
  std::string text =
      fmt::format("    {}  {}  {} → {}", tinted(format_change(step.counts.change), tint, render.options.color),
                  printable(readable_id(view.id(step.of))), figure_text(step.counts.before, step.counts),
                  figure_text(step.counts.after, step.counts));
  if (accepted != nullptr && step.is_slower()) text += ", accepted: " + printable(accepted->reason);
  if (view.is_finding(run, step)) text += expired_text(view.expired(run, step));
  text += "\n";
  if (const std::string range = range_text(view, run, step); !range.empty()) text += "      " + range + "\n";
  if (render.functions && step.counts.metric == Metric::instructions) text += moved_functions(run, step, render);
  return text;
}

/// Cases that fail and did not at the run before: what fails for a hundred commits is news at the first.
std::vector<std::size_t> failed_anew(const HistoryView& view, std::size_t run) {
  std::vector<std::size_t> anew = view.course.entries[run].failed;
  if (run > 0) std::erase_if(anew, [&](std::size_t of) { return contains(view.course.entries[run - 1].failed, of); });
  return anew;
}

bool is_quiet(const HistoryView& view, std::size_t run) {
  const CourseEntry& entry = view.course.entries[run];
  return view.times_at(run).empty() && !entry.epoch && entry.steps.empty() && entry.seams.empty() &&
         failed_anew(view, run).empty();
}

std::string failed_lines(const HistoryView& view, std::size_t run, const HistoryRender& render) {
  const std::vector<std::size_t> anew = failed_anew(view, run);
  std::string text;
  for (std::size_t i = 0; i < std::min(render.most, anew.size()); ++i)
    text += "    " + tinted("failed", Tint::bad, render.options.color) + "  " +
            printable(readable_id(view.id(anew[i]))) + "\n";
  if (anew.size() > render.most) text += fmt::format("    and {} more\n", anew.size() - render.most);
  const std::size_t still = view.course.entries[run].failed.size() - anew.size();
  if (still > 0) {
    text += tinted(fmt::format("    {} as before\n", plural(still, "case fails", "cases fail")), Tint::dim,
                   render.options.color);
  }
  return text;
}

/// What another environment does to counts is no commit's doing.
std::string epoch_lines(const HistoryView& view, const EpochStart& epoch, const HistoryRender& render) {
  std::string text = "    " + tinted(fmt::format("environment {} instead of {}", epoch.after, epoch.before),
                                     Tint::notice, render.options.color);
  if (!epoch.is_bridged)
    return text + ": every case starts a new series; tally history bridge measures a commit in both\n";
  text += fmt::format(": {} the same counts in both, {}\n", plural(epoch.joined, "case has", "cases have"),
                      plural(epoch.chained.size(), "starts a new series", "start a new series"));
  for (std::size_t i = 0; i < std::min(render.most, epoch.chained.size()); ++i) {
    const CountStep& one = epoch.chained[i];
    text += fmt::format("      {}  {}  {} → {}\n", format_change(one.counts.change),
                        printable(readable_id(view.id(one.of))), figure_text(one.counts.before, one.counts),
                        figure_text(one.counts.after, one.counts));
  }
  if (epoch.chained.size() > render.most)
    text += fmt::format("      and {} more\n", epoch.chained.size() - render.most);
  return text;
}

std::string commit_lines(const HistoryView& view, std::size_t run, const HistoryRender& render) {
  const CourseEntry& entry = view.course.entries[run];
  const CommitName& commit = view.commit(run);
  std::string text = tinted(short_id(commit), Tint::bold, render.options.color) +
                     fmt::format("  {}  {}\n", printable(commit.author), printable(commit.title));
  if (entry.epoch) text += epoch_lines(view, *entry.epoch, render);
  if (entry.compared > 0) {
    const auto changed =
        std::ranges::count_if(entry.steps, [](const CountStep& step) { return step.counts.metric != Metric::kernels; });
    text += tinted(fmt::format("    {} of {} changed, geometric mean {}\n", changed,
                               plural(entry.compared, "case", "cases"), format_change(entry.geometric_mean - 1)),
                   Tint::dim, render.options.color);
  }
  for (std::size_t i = 0; i < std::min(render.most, entry.steps.size()); ++i)
    text += step_lines(view, run, entry.steps[i], render);
  if (entry.steps.size() > render.most) text += fmt::format("    and {} more\n", entry.steps.size() - render.most);
  text += time_lines(view, run, render);
  text += failed_lines(view, run, render);
  for (const Seam& seam : entry.seams)
    text += "    " + tinted("new series", Tint::notice, render.options.color) +
            fmt::format("  {}: {}\n", printable(readable_id(view.name(seam.of))), printable(seam.why));
  return text;
}

std::string drift_lines(const HistoryView& view, const HistoryRender& render) {
  std::string text;
  for (const Drift& drift : view.course.drifts) {
    if (!view.is_beyond_budget(drift)) continue;
    const bool finding = view.is_finding(drift);
    text += tinted("drift", finding ? Tint::bad : Tint::dim, render.options.color) +
            fmt::format("  {}  {}  {} → {} since {}, no change of it beyond the threshold{}\n",
                        format_change(drift.counts.change), printable(readable_id(view.id(drift.of))),
                        figure_text(drift.counts.before, drift.counts), figure_text(drift.counts.after, drift.counts),
                        short_id(view.commit(drift.since)), finding ? expired_text(view.expired(drift)) : "");
    for (std::size_t i = 0; i < std::min(render.most, drift.contributors.size()); ++i) {
      const CommitName& commit = view.commit(drift.contributors[i]);
      text += fmt::format("    {}  {}  {}\n", short_id(commit), printable(commit.author), printable(commit.title));
    }
    if (drift.contributors.size() > render.most)
      text += fmt::format("    and {} more\n", drift.contributors.size() - render.most);
  }
  return text;
}

std::string settled_lines(const HistoryView& view, const HistoryRender& render) {
  std::string text;
  for (const auto& [drift, by] : view.course.settled) {
    text += tinted("drift", Tint::dim, render.options.color) +
            fmt::format("  {}  {}  {} → {} from {} to {}, accepted: {}\n", format_change(drift.counts.change),
                        printable(readable_id(view.id(drift.of))), format_count(drift.counts.before),
                        format_count(drift.counts.after), short_id(view.commit(drift.since)),
                        short_id(view.commit(drift.until)), printable(by.reason));
  }
  return text;
}

std::string summary(const HistoryView& view) {
  std::size_t changes = 0;
  for (const CourseEntry& entry : view.course.entries) changes += entry.steps.size();
  // A commit at which two environments meet has a run of each.
  std::vector<std::size_t> places = view.history.line.measured;
  places.erase(std::ranges::unique(places).begin(), places.end());
  const std::size_t first = view.history.line.measured.empty() ? 0 : view.history.line.measured.front();
  const std::size_t last = view.history.line.measured.empty() ? 0 : view.history.line.measured.back() + 1;
  return fmt::format("{} of {} measured: {}, {} unacknowledged\n", plural(places.size(), "commit", "commits"),
                     last - first, plural(changes, "change", "changes"), view.findings());
}

/// A block for each figure, between the least and the most of all.
std::string sparkline(std::span<const double> figures, std::size_t width) {
  static constexpr std::array<std::string_view, 8> blocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::span<const double> last = figures.last(std::min(figures.size(), width));
  const auto [least, most] = std::ranges::minmax(last);
  std::string text;
  for (const double figure : last) {
    const double share = most > least ? (figure - least) / (most - least) : 0;
    text += blocks.at(static_cast<std::size_t>(std::lround(share * (blocks.size() - 1))));
  }
  return text;
}

/// What stands above a case's table.
std::string head_of_course(const HistoryView& view, std::size_t of, std::span<const double> figures,
                           const HistoryRender& render) {
  const auto width = static_cast<std::size_t>(render.options.width > 0 ? render.options.width : 100);
  return printable(readable_id(view.name(of))) + "\n" + sparkline(figures, width) + "\n\n";
}

/// What the table leaves out, of so many runs.
std::string unchanged_line(std::size_t runs, const Table& table, const HistoryRender& render) {
  const std::size_t left_out = runs - table.rows.size();
  if (left_out == 0) return {};
  return tinted(fmt::format("{} with no change (--all shows them)\n", plural(left_out, "commit", "commits")), Tint::dim,
                render.options.color);
}

std::string title_of(const CommitName& commit) { return printable(fmt::format("{}: {}", commit.author, commit.title)); }

std::vector<Cell> row_of(const HistoryView& view, std::size_t of, const CoursePoint& point) {
  using Kind = CoursePoint::Kind;
  const std::size_t run = point.of->run;
  const CommitName& commit = view.commit(run);
  std::vector<Cell> row(7);
  row[0].text = short_id(commit);
  row[1].text = figure_text(point.of->figure, view.history.basis_of(*point.of));
  if (point.kind == Kind::step) {
    const CountStep step{.of = of, .since = point.since, .counts = point.counts};
    const bool bad = view.is_finding(run, step);
    row[2] = {format_change(point.counts.change), bad ? Tint::bad : step.is_slower() ? Tint::dim : Tint::good};
    const std::size_t candidates = view.candidates(run, step).size();
    row[3].text = candidates > 1 ? fmt::format("one of {}", candidates) : step.is_slower() && !bad ? "accepted" : "";
  } else if (point.kind == Kind::chained) {
    row[2] = {format_change(point.counts.change), Tint::notice};
    row[3] = {"environment", Tint::notice};
  } else if (point.kind == Kind::seam) {
    row[3] = {"new series", Tint::notice};
  }
  if (point.of->has_time()) row[4].text = format_seconds(point.of->time_s);
  if (const TimeStep* const change = view.time_step(of, run)) row[5] = {time_step_text(change->point), Tint::notice};
  row[6].text = title_of(commit);
  return row;
}

/// Of a history of counts alone.
void leave_out_times(Table& table) {
  constexpr std::ptrdiff_t first = 4;
  constexpr std::ptrdiff_t end = 6;
  table.columns.erase(table.columns.begin() + first, table.columns.begin() + end);
  for (std::vector<Cell>& row : table.rows) row.erase(row.begin() + first, row.begin() + end);
}

/// What the column of figures is of.
std::string_view metric_title(const History& history, const CaseCourse& course) {
  return to_string(history.basis_of(*course.points.back().of).metric);
}

bool is_noteworthy(const HistoryView& view, std::size_t of, const CoursePoint& point) {
  const bool is_change = point.kind != CoursePoint::Kind::same && point.kind != CoursePoint::Kind::joined;
  return is_change || view.time_step(of, point.of->run) != nullptr;
}

}  // namespace

std::string figure_text(double figure, const CountChange& of) {
  return of.metric == Metric::instructions ? format_figure(figure) : format_value(figure, of.unit);
}

std::string figure_text(double figure, const Basis& of) {
  return of.metric == Metric::instructions ? format_figure(figure) : format_value(figure, of.unit);
}

std::string render_judged(const HistoryView& view, const NewestRun& newest, bool allow_uncompared) {
  std::string text;
  const auto line = [&](std::string_view word, std::size_t of, const std::string& why) {
    text += fmt::format("{}: {}{}{}\n", word, printable(view.name(of)), why.empty() ? "" : ": ", printable(why));
  };
  for (const std::size_t of : newest.failed) line("failed", of, "");
  for (const std::size_t of : newest.gone) line("gone", of, "");
  for (const std::size_t of : newest.added) line("new", of, "no run before has a figure of it");
  for (const NewestRun::Unjudged& one : newest.uncompared) line("not compared", one.of, one.why);
  if (newest.commits_after > 0) {
    const CommitLine& all = view.history.line;
    text += fmt::format("not measured: {} is {} after the newest run, which is of {}\n", short_id(all.commits.back()),
                        plural(newest.commits_after, "commit", "commits"), short_id(all.commits[all.measured.back()]));
  }
  if (newest.judged == 0)
    text += "judged nothing: no case of the newest run could be compared with one of an earlier run\n";
  if ((!newest.uncompared.empty() || newest.commits_after > 0) && allow_uncompared)
    text += "note: --allow-uncompared lets these pass\n";
  return text +
         fmt::format("judged {} of {} cases by {} limits\n", newest.judged, newest.cases, newest.judged > 0 ? 1 : 0);
}

std::string render_log(const HistoryView& view, const HistoryRender& render) {
  std::string text =
      fmt::format("{}, environment {}\n\n", printable(view.history.suite), view.history.runs.back().environment);
  std::size_t quiet = 0;
  for (std::size_t run = view.history.runs.size(); run-- > 0;) {
    if (!render.all && is_quiet(view, run)) {
      ++quiet;
      continue;
    }
    text += commit_lines(view, run, render);
  }
  if (quiet > 0) {
    text += tinted(fmt::format("{} with nothing new (--all shows them)\n", plural(quiet, "commit", "commits")),
                   Tint::dim, render.options.color);
  }
  return text + drift_lines(view, render) + settled_lines(view, render) + summary(view) + time_summary(view);
}

std::string render_course(const HistoryView& view, const CaseCourse& course, const HistoryRender& render) {
  std::vector<double> figures;
  figures.reserve(course.points.size());
  for (const CoursePoint& point : course.points) figures.push_back(point.of->figure);
  std::string text = head_of_course(view, course.of, figures, render);
  Table table;
  table.columns = {{.title = "commit"},
                   {.title = std::string(metric_title(view.history, course)), .right = true},
                   {.title = "change", .right = true},
                   {.title = ""},
                   {.title = "time", .right = true},
                   {.title = "change of it"},
                   {.title = "author and title", .least = 12}};
  for (std::size_t i = course.points.size(); i-- > 0;) {
    if (render.all || is_noteworthy(view, course.of, course.points[i]))
      table.rows.push_back(row_of(view, course.of, course.points[i]));
  }
  if (std::ranges::none_of(course.points, [](const CoursePoint& point) { return point.of->has_time(); }))
    leave_out_times(table);
  text += render_table(table, render.options);
  for (std::size_t i = course.points.size(); render.functions && i-- > 0;) {
    const CoursePoint& point = course.points[i];
    if (point.kind != CoursePoint::Kind::step || point.counts.metric != Metric::instructions) continue;
    const CountStep step{.of = course.of, .since = point.since, .counts = point.counts};
    text += "\n" + short_id(view.commit(point.of->run)) + "  " + format_change(point.counts.change) + "\n" +
            moved_functions(point.of->run, step, render);
  }
  return text + unchanged_line(course.points.size(), table, render);
}

std::string render_times(const HistoryView& view, std::size_t of, const HistoryRender& render) {
  std::vector<double> figures;
  std::vector<const SeriesPoint*> points;
  for (const SeriesPoint& point : view.history.cases[of].points) {
    if (!point.has_time()) continue;
    points.push_back(&point);
    figures.push_back(point.time_s);
  }
  std::string text = head_of_course(view, of, figures, render);
  Table table;
  table.columns = {{.title = "commit"},
                   {.title = "time", .right = true},
                   {.title = "change"},
                   {.title = "author and title", .least = 12}};
  for (const SeriesPoint* const point : points | std::views::reverse) {
    const TimeStep* const change = view.time_step(of, point->run);
    if (!render.all && change == nullptr && point != points.front()) continue;
    const CommitName& commit = view.commit(point->run);
    std::vector<Cell> row = {{short_id(commit)}, {format_seconds(point->time_s)}, {""}, {title_of(commit)}};
    if (change != nullptr) row[2] = {time_step_text(change->point), Tint::notice};
    table.rows.push_back(std::move(row));
  }
  return text + render_table(table, render.options) + unchanged_line(points.size(), table, render);
}

}  // namespace tally
