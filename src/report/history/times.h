/// The time changes that a history nominates, for its texts and exports (report/history/view.h). Pure.
#pragma once

#include <string>

#include "json/value.h"
#include "report/history/text.h"
#include "report/history/view.h"

namespace tally {

/// "+4.1 % (p 0.0003, provisional)"
std::string time_step_text(const ChangePoint& point);

/// A line for each change of time nominated at the run; empty where there is none.
std::string time_lines(const HistoryView& view, std::size_t run, const HistoryRender& render);

/// What the nominations are, and what decides; empty where there are none.
std::string time_summary(const HistoryView& view);

json::Object time_json(const HistoryView& view, const TimeStep& change);

}  // namespace tally
