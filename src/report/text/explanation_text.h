/// Why a case moved, on one screen, and as Markdown for a pull request. Pure; see table.h for width and colour.
#pragma once

#include <string>

#include "comparison/explanation.h"
#include "report/text/table.h"

namespace tally {

std::string render_explanation(const Explanation& explanation, const RenderOptions& options);

/// Its body, without a heading.
std::string explanation_markdown(const Explanation& explanation);

}  // namespace tally
