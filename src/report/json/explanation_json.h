/// Why a case moved, as JSON. Pure.
#pragma once

#include "comparison/explanation.h"
#include "json/value.h"

namespace tally {

/// { "id", "verdict", "cause", "instructions", "time", "allocations", "path": [..], "functions": [..], "share",
///   "disagreement", "events": [..] }; what is not known is left out.
json::Object explanation_json(const Explanation& explanation);

}  // namespace tally
