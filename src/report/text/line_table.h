/// Which source lines of a case its instructions are of, for a terminal and as JSON. Pure; see table.h for width and
/// colour.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "comparison/line_delta.h"
#include "json/value.h"
#include "profile/line_costs.h"
#include "report/text/table.h"

namespace tally {

struct LineRender {
  RenderOptions options;
  std::size_t top = 30;  ///< 0: all.
};

/// Own instructions of all iterations by line, most first, with what is in code without lines, by its object. Files by
/// their last names where these differ.
std::string render_lines(const KeptLines& kept, const LineRender& render);

/// The same, files and objects by their whole names; `top` 0: all.
std::string lines_json(const KeptLines& kept, std::size_t top);

/// Lines that moved, as they are given: own instructions per iteration on both sides. Of a line that was written
/// otherwise, what it was is below it.
std::string render_line_deltas(const std::vector<LineDelta>& moved, const LineRender& render);

/// "mylib.cc:12", or the object of code without lines. Where another file of `among` has that name, its whole path.
std::string place_of(const LineDelta& delta, std::span<const LineDelta> among);
/// Its text, or why there is none.
std::string text_of(const LineDelta& delta);

/// { "file", "line", "before", "after" }, and where they are known "text", "text_before", "gone", "newer"; of code
/// without lines "object" instead of file and line.
json::Object line_delta_json(const LineDelta& delta);

}  // namespace tally
