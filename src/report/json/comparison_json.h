/// A comparison, and a gate's verdict on it, as JSON. Pure.
#pragma once

#include <string>

#include "comparison/check.h"

namespace tally {

/// { "verdicts": {..}, "cases": [{ "id", "verdict", "cause", "instructions": {..}, "time": {..}, "functions": [..] }] }
std::string to_json(const Comparison& comparison, const CheckResult* checked);

}  // namespace tally
