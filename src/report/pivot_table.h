/// The cases of one record against each other, as text and in the formats of other programs. Pure.
#pragma once

#include <string>

#include "comparison/pivot.h"
#include "report/table.h"

namespace tally {

/// A table for each section, then what is left out and which counts vary. `best` marks the cells of each row: by
/// colour, or where there is none by signs, which a last line explains.
std::string render_pivot(const Pivot& pivot, const RenderOptions& options, bool best);

/// The same as Markdown; the best of a row bold, the worst in italics.
std::string to_markdown(const Pivot& pivot, bool best);

/// A line for each row, sections' axes first; values as plain numbers, per iteration, seconds. A case without a value
/// leaves its field empty.
std::string to_csv(const Pivot& pivot);

/// { "metric", "rows": [axis..], "columns": [axis..], "column_values": [{..}..], "growth_axis",
///   "sections": [{ "common": {..}, "rows": [{ "heading": {..}, "cells": [{..} or null..], "complexity" }..],
///   "complexity": [..] }..], "left_out": [id..] }; docs/guides/table.md says what each means.
std::string to_json(const Pivot& pivot);

/// "O(n log n)", and "" where nothing was fitted; the residual as a share, "0" where nothing is left.
std::string order_text(const std::optional<Complexity>& complexity);
std::string residual_text(const std::optional<Complexity>& complexity);

/// A value of a metric as a reader wants to see it.
std::string format_metric(const MetricValue& value, Metric metric);

}  // namespace tally
