/// The cases of one record against each other, as text and as Markdown. Pure.
#pragma once

#include <string>

#include "comparison/pivot.h"
#include "report/text/table.h"

namespace tally {

/// A table for each section, then what is left out and which counts vary. `best` marks the cells of each row: by
/// colour, or where there is none by signs, which a last line explains.
std::string render_pivot(const Pivot& pivot, const RenderOptions& options, bool best);

/// The same as Markdown; the best of a row bold, the worst in italics.
std::string to_markdown(const Pivot& pivot, bool best);

/// "O(n log n)", and "" where nothing was fitted; the residual as a share, "0" where nothing is left.
std::string order_text(const std::optional<Complexity>& complexity);
std::string residual_text(const std::optional<Complexity>& complexity);

/// A value of a metric as a reader wants to see it, with its unit; `unit` is that of Metric::value.
std::string format_metric(const MetricValue& value, Metric metric, std::string_view unit = {});

}  // namespace tally
