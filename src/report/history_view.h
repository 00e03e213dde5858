/// A history for a terminal, and as JSON and CSV. Pure; see table.h for width and colour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "history/commits.h"
#include "history/course.h"
#include "history/ledger.h"
#include "report/table.h"

namespace tally {

/// One lane of a store along one line of commits, and what was agreed to.
struct HistoryView {
  std::string suite;
  std::string environment;
  CommitLine line;
  std::vector<const Record*> runs;  ///< Oldest first, as line.measured.
  Course course;
  std::vector<Acceptance> accepted;
  std::string today;     ///< "2026-01-31"
  double budget = 0.02;  ///< A drift beyond it, upward, is a finding.

  [[nodiscard]] const Acceptance* acceptance(std::size_t run, const CountStep& step) const {
    return acceptance_of(step, line.candidates(step.since, run), accepted, today);
  }
  /// More instructions, and nobody agreed.
  [[nodiscard]] bool is_finding(std::size_t run, const CountStep& step) const {
    return step.is_slower() && acceptance(run, step) == nullptr;
  }
  [[nodiscard]] bool is_finding(const Drift& drift) const {
    return drift.counts.change > budget && acceptance_of(drift, accepted, today) == nullptr;
  }
  [[nodiscard]] std::size_t findings() const;
};

struct HistoryRender {
  RenderOptions options;
  bool all = false;      ///< Also commits at which nothing changed.
  std::size_t most = 5;  ///< Changes shown of a commit.
};

/// Newest first: what each commit changed, then drifts, then a summary.
std::string render_log(const HistoryView& view, const HistoryRender& render);
std::string log_to_json(const HistoryView& view);
/// A line for each change.
std::string log_to_csv(const HistoryView& view);

/// One case, newest first, under a line that draws its course.
std::string render_course(const HistoryView& view, const std::vector<CoursePoint>& points, const HistoryRender& render);
std::string course_to_json(const HistoryView& view, const std::vector<CoursePoint>& points);
std::string course_to_csv(const HistoryView& view, const std::vector<CoursePoint>& points);

}  // namespace tally
