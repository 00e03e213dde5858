/// Which source lines of a case its instructions are of, for a terminal and as JSON. Pure; see table.h for width and
/// colour.
#pragma once

#include <map>
#include <string>

#include "profile/line_costs.h"
#include "report/table.h"

namespace tally {

/// What is kept of a case's lines.
struct LinesReport {
  LineCosts costs;
  std::map<std::string, std::string> texts;  ///< File → its text, of those that were kept.
};

struct LineRender {
  RenderOptions options;
  std::size_t top = 30;  ///< 0: all.
};

/// Own instructions of all iterations by line, most first, with what is in code without lines, by its object. Files by
/// their last names where these differ.
std::string render_lines(const LinesReport& report, const LineRender& render);

/// The same, files and objects by their whole names; `top` 0: all.
std::string lines_json(const LinesReport& report, std::size_t top);

}  // namespace tally
