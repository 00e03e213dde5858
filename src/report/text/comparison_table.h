/// A comparison and a check for a terminal. Pure; see table.h for width and colour.
#pragma once

#include "comparison/check.h"
#include "report/text/table.h"

namespace tally {

struct ComparisonRender {
  RenderOptions options;
  bool all = false;           ///< Also cases that did not change.
  std::size_t functions = 0;  ///< Rows of functions below each changed case; 0: none.
};

/// "2 slower, 1 faster, 170 same" in order of concern.
std::string comparison_summary(const Comparison& comparison);
/// Of many cases, the summary: "instructions: Python +12 %, C++ −3.1 % in the geometric mean of 181 cases; worst:
/// Add [python] +132 %". Empty of few cases, or where fewer than two moved.
std::string means_line(const Comparison& comparison);

/// How many of its counts are without known interpreter noise; empty where all are whole.
std::string denoised_note(const Comparison& comparison);

/// "base: 21ebff2190, new: b74d5aef01 and changes that are not committed", "base and new: 21ebff2190"; empty where
/// neither says which.
std::string commits_note(const Comparison& comparison);
/// What both sides were measured with, and where they differ: "with: Python 3.11.2 → 3.12.1, torch 2.6.0, glibc 2.36".
std::string versions_note(const Comparison& comparison);

std::string render_comparison(const Comparison& comparison, const ComparisonRender& render);

/// "judged 181 of 181 cases by 2 limits": what a check may be believed of. Always in these words, for scripts.
std::string judged_line(const CheckResult& result);

/// What limits found, what they did not judge, a line of judgement, and judged_line() as the last.
std::string render_check(const Comparison& comparison, const CheckResult& result, const RenderOptions& options);

}  // namespace tally
