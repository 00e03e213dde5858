#include "history/judged.h"

#include <algorithm>
#include <cmath>

namespace tally {
namespace {

/// Null where the case was not there, or was skipped.
const SeriesPoint* point_at(const CaseSeries& series, std::size_t run) {
  const auto found = std::ranges::find(series.points, run, &SeriesPoint::run);
  return found == series.points.end() || found->status == CaseStatus::skipped ? nullptr : &*found;
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
  } else if (last.kind == Kind::seam) {
    result.uncompared.push_back({of, last.why});
  } else if (last.kind == Kind::chained) {
    result.uncompared.push_back({of, "its count differs in this environment, so a new series starts"});
  } else {
    ++result.judged;
  }
}

}  // namespace

NewestRun judged_at_newest(const History& history, const CourseOptions& options) {
  NewestRun result;
  if (history.runs.empty()) return result;
  for (std::size_t of = 0; of < history.cases.size(); ++of) judge_case(history, of, options, result);
  return result;
}

}  // namespace tally
