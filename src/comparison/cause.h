/// Names what may have moved a case, as far as facts and functions show. A label for a reader, never part of a verdict.
#pragma once

#include <string>

#include "comparison/comparison.h"

namespace tally {

/// "definition", "compiler", "interpreter", "library dispatch", "environment", "folder" (in which an environment of
/// Python lies), "allocator", "code", "arguments" (of a command whose programs are the same), "input" (what such a
/// command reads, be it data or scripts) or "unknown", in this order of precedence: facts that differ first, then the
/// functions that moved (more than 60 % of all movement), then the code where a file of the subject differs. Where all
/// that the records hold is the same, the cause is unknown.
std::string likely_cause(const CaseComparison& comparison);

}  // namespace tally
