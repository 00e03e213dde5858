/// Records and comparisons in the formats of other programs. Pure; every name in them is escaped for its format.
#pragma once

#include <string>

#include "comparison/check.h"
#include "record/record.h"

namespace tally {

/// A section for a pull request: judgement first, what matters in a table, the unchanged counted, details folded.
std::string to_markdown(const Comparison& comparison, const CheckResult* checked, std::size_t functions);

/// One test case for each benchmark case; a regression, a failure and a case that is gone are failures.
std::string to_junit(const Comparison& comparison, const CheckResult& checked);

/// A line for each case of the comparison, with a heading line. `denoised` says whether its instructions are without
/// known interpreter noise.
std::string to_csv(const Comparison& comparison);
/// A line for each case of one record. `denoised` is the count without known interpreter noise, where there is one.
std::string to_csv(const Record& record);

/// GitHub workflow commands: ::error for what fails the check, ::warning for the rest.
std::string github_annotations(const Comparison& comparison, const CheckResult& checked);

}  // namespace tally
