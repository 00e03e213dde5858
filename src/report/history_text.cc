#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/format.h"
#include "report/history_view.h"

namespace tally {
namespace {

constexpr std::size_t kShortId = 10;

std::string short_id(const CommitName& commit) { return commit.id.substr(0, kShortId); }

std::string plural(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// "1234567890 to abcdef0123 (4 commits that were not measured apart)"; empty where it is the commit's alone.
std::string range_text(const HistoryView& view, std::size_t since, std::size_t run) {
  const auto candidates = view.line.candidates(since, run);
  if (candidates.size() < 2) return {};
  return fmt::format("one of {} commits, {} to {}: those between were not measured", candidates.size(),
                     short_id(candidates.front()), short_id(candidates.back()));
}

std::string step_lines(const HistoryView& view, std::size_t run, const CountStep& step, const HistoryRender& render) {
  const Acceptance* const accepted = view.acceptance(run, step);
  const Tint tint = !step.is_slower() ? Tint::good : accepted != nullptr ? Tint::dim : Tint::bad;
  std::string text =
      fmt::format("    {}  {}  {} → {}", tinted(format_change(step.counts.change), tint, render.options.color),
                  printable(step.id), format_count(step.counts.before), format_count(step.counts.after));
  if (accepted != nullptr && step.is_slower()) text += ", accepted: " + printable(accepted->reason);
  text += "\n";
  if (const std::string range = range_text(view, step.since, run); !range.empty()) text += "      " + range + "\n";
  return text;
}

bool is_quiet(const CourseEntry& entry) { return entry.steps.empty() && entry.seams.empty() && entry.failed.empty(); }

std::string commit_lines(const HistoryView& view, std::size_t run, const HistoryRender& render) {
  const CourseEntry& entry = view.course.entries[run];
  const CommitName& commit = view.line.of_run(run);
  std::string text = tinted(short_id(commit), Tint::bold, render.options.color) +
                     fmt::format("  {}  {}\n", printable(commit.author), printable(commit.title));
  if (entry.compared > 0) {
    text += tinted(fmt::format("    {} of {} changed, geometric mean {}\n", entry.steps.size(),
                               plural(entry.compared, "case", "cases"), format_change(entry.geometric_mean - 1)),
                   Tint::dim, render.options.color);
  }
  for (std::size_t i = 0; i < std::min(render.most, entry.steps.size()); ++i)
    text += step_lines(view, run, entry.steps[i], render);
  if (entry.steps.size() > render.most) text += fmt::format("    and {} more\n", entry.steps.size() - render.most);
  for (const std::string& id : entry.failed)
    text += "    " + tinted("failed", Tint::bad, render.options.color) + "  " + printable(id) + "\n";
  for (const Seam& seam : entry.seams)
    text += "    " + tinted("begins anew", Tint::notice, render.options.color) +
            fmt::format("  {}: {}\n", printable(seam.id), printable(seam.why));
  return text;
}

std::string drift_lines(const HistoryView& view, const HistoryRender& render) {
  std::string text;
  for (const Drift& drift : view.course.drifts) {
    if (drift.counts.change <= view.budget) continue;
    const bool finding = view.is_finding(drift);
    text += tinted("drift", finding ? Tint::bad : Tint::dim, render.options.color) +
            fmt::format("  {}  {}  {} → {} since {}, no change of it beyond the threshold\n",
                        format_change(drift.counts.change), printable(drift.id), format_count(drift.counts.before),
                        format_count(drift.counts.after), short_id(view.line.of_run(drift.since)));
    for (std::size_t i = 0; i < std::min(render.most, drift.contributors.size()); ++i) {
      const CommitName& commit = view.line.of_run(drift.contributors[i]);
      text += fmt::format("    {}  {}  {}\n", short_id(commit), printable(commit.author), printable(commit.title));
    }
    if (drift.contributors.size() > render.most)
      text += fmt::format("    and {} more\n", drift.contributors.size() - render.most);
  }
  return text;
}

std::string summary(const HistoryView& view) {
  std::size_t changes = 0;
  for (const CourseEntry& entry : view.course.entries) changes += entry.steps.size();
  const std::size_t first = view.line.measured.empty() ? 0 : view.line.measured.front();
  const std::size_t last = view.line.measured.empty() ? 0 : view.line.measured.back() + 1;
  return fmt::format("{} of {} measured: {}, {} not agreed to\n", plural(view.runs.size(), "commit", "commits"),
                     last - first, plural(changes, "change", "changes"), view.findings());
}

/// A block for each point, between the least and the most of all.
std::string sparkline(const std::vector<CoursePoint>& points, std::size_t width) {
  static constexpr std::array<std::string_view, 8> blocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::size_t shown = std::min(points.size(), width);
  const std::span<const CoursePoint> last = std::span(points).last(shown);
  const auto count = [](const CoursePoint& point) { return point.of->counts->per_iteration; };
  const auto [least, most] = std::ranges::minmax(last, {}, count);
  const double range = count(most) - count(least);
  std::string text;
  for (const CoursePoint& point : last) {
    const double share = range > 0 ? (count(point) - count(least)) / range : 0;
    text += blocks.at(static_cast<std::size_t>(std::lround(share * (blocks.size() - 1))));
  }
  return text;
}

std::vector<Cell> row_of(const HistoryView& view, const CoursePoint& point, const CoursePoint* before) {
  const CommitName& commit = view.line.of_run(point.run);
  std::vector<Cell> row(5);
  row[0].text = short_id(commit);
  row[1].text = format_count(point.of->counts->per_iteration);
  if (point.is_step) {
    const CountStep step{.id = point.of->id, .since = before->run, .counts = point.counts};
    const bool bad = view.is_finding(point.run, step);
    row[2] = {format_change(point.counts.change), bad ? Tint::bad : step.is_slower() ? Tint::dim : Tint::good};
    const std::size_t candidates = view.line.candidates(before->run, point.run).size();
    row[3].text = candidates > 1 ? fmt::format("one of {}", candidates) : step.is_slower() && !bad ? "accepted" : "";
  } else if (point.is_seam) {
    row[3] = {"begins anew", Tint::notice};
  }
  row[4].text = printable(fmt::format("{}: {}", commit.author, commit.title));
  return row;
}

}  // namespace

std::size_t HistoryView::findings() const {
  std::size_t count = 0;
  for (std::size_t run = 0; run < course.entries.size(); ++run) {
    count += static_cast<std::size_t>(
        std::ranges::count_if(course.entries[run].steps, [&](const CountStep& step) { return is_finding(run, step); }));
  }
  return count + static_cast<std::size_t>(
                     std::ranges::count_if(course.drifts, [&](const Drift& drift) { return is_finding(drift); }));
}

std::string render_log(const HistoryView& view, const HistoryRender& render) {
  std::string text = fmt::format("{}, environment {}\n\n", printable(view.suite), view.environment);
  std::size_t quiet = 0;
  for (std::size_t run = view.runs.size(); run-- > 0;) {
    if (!render.all && is_quiet(view.course.entries[run])) {
      ++quiet;
      continue;
    }
    text += commit_lines(view, run, render);
  }
  if (quiet > 0) {
    text += tinted(fmt::format("{} with nothing new (--all shows them)\n", plural(quiet, "commit", "commits")),
                   Tint::dim, render.options.color);
  }
  return text + drift_lines(view, render) + summary(view);
}

std::string render_course(const HistoryView& view, const std::vector<CoursePoint>& points,
                          const HistoryRender& render) {
  std::string text = printable(points.front().of->id) + "\n";
  const auto width = static_cast<std::size_t>(render.options.width > 0 ? render.options.width : 100);
  text += sparkline(points, width) + "\n\n";
  Table table;
  table.columns = {{.title = "commit"},
                   {.title = "instructions", .right = true},
                   {.title = "change", .right = true},
                   {.title = ""},
                   {.title = "author and title", .least = 12}};
  for (std::size_t i = points.size(); i-- > 0;) {
    const bool tells = i == 0 || points[i].is_step || points[i].is_seam;
    if (render.all || tells) table.rows.push_back(row_of(view, points[i], i > 0 ? &points[i - 1] : nullptr));
  }
  text += render_table(table, render.options);
  const std::size_t left_out = points.size() - table.rows.size();
  if (left_out > 0) {
    text += tinted(fmt::format("{} with no change (--all shows them)\n", plural(left_out, "commit", "commits")),
                   Tint::dim, render.options.color);
  }
  return text;
}

}  // namespace tally
