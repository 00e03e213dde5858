/// A history as JSON and as CSV. Pure.
#pragma once

#include <span>
#include <string>

#include "report/history/view.h"

namespace tally {

std::string log_to_json(const HistoryView& view, const StepFunctions& functions = {});
/// A line for each change.
std::string log_to_csv(const HistoryView& view);

/// `courses`: of the series of one case, that of its own first; one at least.
std::string course_to_json(const HistoryView& view, std::span<const CaseCourse> courses,
                           const StepFunctions& functions = {});
std::string course_to_csv(const HistoryView& view, std::span<const CaseCourse> courses);

}  // namespace tally
