/// What is fitted to a series, as JSON: for `tally table --json` and for the page. Pure.
#pragma once

#include <optional>

#include "comparison/axes.h"
#include "json/value.h"

namespace tally {

/// { "order": "O(n)", "points": 5, "fits": [{ "order", "constant", "coefficient", "residual", "big_o", "rms" }..] }
/// with a fit for each order, or null.
json::Value complexity_json(const std::optional<Complexity>& complexity);

/// Of the page: for each benchmark and numeric axis its series, [{ "axis", "label", "lines": [{ "variant", "points":
/// [[n, index of the case]..], "counts", "time": as above, the best fit alone }..] }..]. Indexes are those of
/// record.cases.
json::Array growth_json(const Record& record);

}  // namespace tally
