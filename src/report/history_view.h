/// A history for a terminal, and as JSON and CSV. Pure; see table.h for width and colour.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comparison/function_delta.h"
#include "history/commits.h"
#include "history/course.h"
#include "history/judged.h"
#include "history/ledger.h"
#include "history/time_steps.h"
#include "report/table.h"

namespace tally {

/// Before, or after: "1,234", or with its unit what a benchmark reports.
std::string figure_text(double figure, const CountChange& of);
std::string figure_text(double figure, const Basis& of);

/// A suite along one line of commits, and what was agreed to.
struct HistoryView {
  History history;
  Course course;
  std::vector<TimeStep> times;  ///< Nominated; never findings.
  std::vector<Acceptance> accepted;
  std::string today;                 ///< "2026-01-31"
  std::vector<DriftBudget> budgets;  ///< A drift beyond its case's, upward, is a finding.

  [[nodiscard]] const CommitName& commit(std::size_t run) const { return history.line.of_run(run); }
  [[nodiscard]] const std::string& id(std::size_t of) const { return history.cases[of].id; }
  /// The commits that it may be of.
  [[nodiscard]] std::span<const CommitName> candidates(std::size_t run, const CountStep& step) const {
    return history.line.candidates(step.since, run);
  }
  [[nodiscard]] const Acceptance* acceptance(std::size_t run, const CountStep& step) const {
    return acceptance_of(id(step.of), step, candidates(run, step), accepted, today);
  }
  [[nodiscard]] std::span<const CommitName> candidates(const TimeStep& change) const {
    return history.line.candidates(change.since, change.run);
  }
  /// The changes of time nominated at a run.
  [[nodiscard]] std::span<const TimeStep> times_at(std::size_t run) const {
    return std::ranges::equal_range(times, run, {}, &TimeStep::run);
  }
  /// That of one case, or null.
  [[nodiscard]] const TimeStep* time_step(std::size_t of, std::size_t run) const {
    const auto changes = times_at(run);
    const auto at = std::ranges::find(changes, of, &TimeStep::of);
    return at == changes.end() ? nullptr : &*at;
  }
  /// More instructions, and nobody agreed.
  [[nodiscard]] bool is_finding(std::size_t run, const CountStep& step) const {
    return step.is_slower() && acceptance(run, step) == nullptr;
  }
  [[nodiscard]] bool is_beyond_budget(const Drift& drift) const {
    return drift.counts.change > budget_of(id(drift.of), budgets);
  }
  [[nodiscard]] bool is_finding(const Drift& drift) const {
    return is_beyond_budget(drift) && acceptance_of(id(drift.of), drift, accepted, today) == nullptr;
  }
  /// Who agreed to a finding once, and does no longer; or null.
  [[nodiscard]] const Acceptance* expired(std::size_t run, const CountStep& step) const {
    return expired_acceptance_of(id(step.of), step, candidates(run, step), accepted, today);
  }
  [[nodiscard]] const Acceptance* expired(const Drift& drift) const {
    return expired_acceptance_of(id(drift.of), drift, accepted, today);
  }
  [[nodiscard]] std::size_t findings() const;
};

/// Functions that a step moved, largest change first; none where profiles of both sides are not kept.
using StepFunctions = std::function<std::vector<FunctionDelta>(std::size_t run, const CountStep& step)>;

struct HistoryRender {
  RenderOptions options;
  bool all = false;              ///< Also commits at which nothing changed.
  std::size_t most = 5;          ///< Changes shown of a commit.
  StepFunctions functions = {};  ///< Empty: they are not asked for.
};

/// Newest first: what each commit changed, then drifts, then a summary.
std::string render_log(const HistoryView& view, const HistoryRender& render);

/// What a gate upon the newest run did not judge, case by case, and as the last line how many it did: "judged 3 of 3
/// cases by 1 limits", as tally check says it.
std::string render_judged(const HistoryView& view, const NewestRun& newest, bool allow_uncompared);

std::string log_to_json(const HistoryView& view, const StepFunctions& functions = {});
/// A line for each change.
std::string log_to_csv(const HistoryView& view);

/// One case of the history, of which there is at least one point.
struct CaseCourse {
  std::size_t of = 0;               ///< Its place in History::cases.
  std::vector<CoursePoint> points;  ///< Oldest first.
};

/// Newest first, under a line that draws its course.
std::string render_course(const HistoryView& view, const CaseCourse& course, const HistoryRender& render);

/// The times of a case of the history that has no counts.
std::string render_times(const HistoryView& view, std::size_t of, const HistoryRender& render);
std::string course_to_json(const HistoryView& view, const CaseCourse& course, const StepFunctions& functions = {});
std::string course_to_csv(const HistoryView& view, const CaseCourse& course);

}  // namespace tally
