/// A history for a terminal. Pure; see table.h for width and colour.
#pragma once

#include <string>

#include "history/judged.h"
#include "report/history/view.h"
#include "report/text/table.h"

namespace tally {

/// Before, or after: "1,234", or with its unit what a benchmark reports.
std::string figure_text(double figure, const CountChange& of);
std::string figure_text(double figure, const Basis& of);

struct HistoryRender {
  RenderOptions options;
  bool all = false;              ///< Also commits at which nothing changed.
  std::size_t most = 5;          ///< Changes shown of a commit.
  StepFunctions functions = {};  ///< Empty: they are not requested.
};

/// Newest first: what each commit changed, then drifts, then a summary.
std::string render_log(const HistoryView& view, const HistoryRender& render);

/// What a gate upon the newest run did not judge, case by case, and as the last line how many it did: "judged 3 of 3
/// cases by 1 limits", as tally check says it.
std::string render_judged(const HistoryView& view, const NewestRun& newest, bool allow_uncompared);

/// Newest first, under a line that draws its course.
std::string render_course(const HistoryView& view, const CaseCourse& course, const HistoryRender& render);

/// The times of a case of the history that has no counts.
std::string render_times(const HistoryView& view, std::size_t of, const HistoryRender& render);
}  // namespace tally
