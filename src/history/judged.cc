#include "history/judged.h"

#include <algorithm>
#include <cmath>

namespace tally {
namespace {

/// Null where the case was not there, or was skipped.
const SeriesPoint* point_at(const CaseSeries& series, std::size_t run) {
  const SeriesPoint* const found = series.at(run);
  return found == nullptr || found->status == CaseStatus::skipped ? nullptr : found;
}

/// "" where it was compared, or there is nothing to compare it with.
std::string why_uncompared(const CoursePoint& last) {
  if (last.kind == CoursePoint::Kind::seam) return last.why;
  if (last.kind == CoursePoint::Kind::chained) return "its count differs in this environment, so a new series starts";
  return {};
}

void judge_kernels(const History& history, std::size_t of, const CourseOptions& options, NewestRun& result) {
  const CaseSeries& series = history.cases[of];
  const SeriesPoint* const now = point_at(series, history.runs.size() - 1);
  if (now == nullptr) return;  // The case itself is judged, and why it is not there.
  const auto known = std::ranges::count_if(series.points, &SeriesPoint::has_figure);
  if (!now->has_figure()) {
    if (known > 0) result.uncompared.push_back({of, "its kernels are not known, and were at an earlier run"});
    return;
  }
  if (std::string why = why_uncompared(course_of_case(history, series, options).back()); !why.empty())
    result.uncompared.push_back({of, std::move(why)});
}

void judge_case(const History& history, std::size_t of, const CourseOptions& options, NewestRun& result) {
  using Kind = CoursePoint::Kind;
  const CaseSeries& series = history.cases[of];
  const std::size_t newest = history.runs.size() - 1;
  const SeriesPoint* const now = point_at(series, newest);
  if (now == nullptr) {
    if (newest == 0 || point_at(series, newest - 1) == nullptr) return;
    ++result.cases;
    result.gone.push_back(of);
    return;
  }
  ++result.cases;
  if (now->status != CaseStatus::ok) {
    result.failed.push_back(of);
    return;
  }
  if (!now->has_figure()) {
    result.uncompared.push_back({of, "it has no count and reports no value"});
    return;
  }
  const CoursePoint last = course_of_case(history, series, options).back();
  if (last.kind == Kind::first) {
    result.added.push_back(of);
  } else if (std::string why = why_uncompared(last); !why.empty()) {
    result.uncompared.push_back({of, std::move(why)});
  } else {
    ++result.judged;
  }
}

}  // namespace

NewestRun judged_at_newest(const History& history, const CourseOptions& options) {
  NewestRun result;
  if (history.runs.empty()) return result;
  result.commits_after = history.line.commits.size() - 1 - history.line.measured.back();
  for (std::size_t of = 0; of < history.cases.size(); ++of) {
    const auto judge = history.cases[of].of == SeriesOf::device ? judge_kernels : judge_case;
    judge(history, of, options, result);
  }
  return result;
}

}  // namespace tally
