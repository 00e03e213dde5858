/// The state of a history, as a small picture for a README: "tally | no regressions". Pure.
#pragma once

#include <string>

#include "report/history/view.h"

namespace tally {

/// SVG that asks the network for nothing.
std::string render_badge(const HistoryView& view);

}  // namespace tally
