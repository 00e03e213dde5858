/// A history as JSON and as CSV. Pure.
#pragma once

#include <string>

#include "report/history/view.h"

namespace tally {

std::string log_to_json(const HistoryView& view, const StepFunctions& functions = {});
/// A line for each change.
std::string log_to_csv(const HistoryView& view);

std::string course_to_json(const HistoryView& view, const CaseCourse& course, const StepFunctions& functions = {});
std::string course_to_csv(const HistoryView& view, const CaseCourse& course);

}  // namespace tally
