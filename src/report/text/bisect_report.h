/// What a bisect has found, for a terminal and as JSON. Pure; see table.h for width and colour.
#pragma once

#include <string>

#include "history/bisect_report.h"
#include "report/text/table.h"

namespace tally {

std::string render_bisect(const BisectReport& report, std::size_t most_functions, const RenderOptions& options);
std::string bisect_to_json(const BisectReport& report);

}  // namespace tally
