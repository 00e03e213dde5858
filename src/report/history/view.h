/// A history as its renderings see it. Pure.
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

namespace tally {

/// A suite along one line of commits, and what was acknowledged.
struct HistoryView {
  History history;
  Course course;
  std::vector<TimeStep> times;  ///< Nominated; never findings.
  std::vector<Acceptance> accepted;
  std::string today;                 ///< "2026-01-31"
  std::vector<DriftBudget> budgets;  ///< A drift beyond its case's, upward, is a finding.

  [[nodiscard]] const CommitName& commit(std::size_t run) const { return history.line.of_run(run); }
  [[nodiscard]] const std::string& id(std::size_t of) const { return history.cases[of].id; }
  /// Its id, with what distinguishes the series of a case.
  [[nodiscard]] std::string name(std::size_t of) const { return name_of(history.cases[of]); }
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
  /// More instructions, and not acknowledged.
  [[nodiscard]] bool is_finding(std::size_t run, const CountStep& step) const {
    return step.is_slower() && acceptance(run, step) == nullptr;
  }
  [[nodiscard]] bool is_beyond_budget(const Drift& drift) const {
    return drift.counts.change > budget_of(id(drift.of), budgets);
  }
  [[nodiscard]] bool is_finding(const Drift& drift) const {
    return is_beyond_budget(drift) && acceptance_of(id(drift.of), drift, accepted, today) == nullptr;
  }
  /// An acceptance of a finding that has expired; or null.
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

/// One case of the history, of which there is at least one point.
struct CaseCourse {
  std::size_t of = 0;               ///< Its place in History::cases.
  std::vector<CoursePoint> points;  ///< Oldest first.
};

}  // namespace tally
