/// From a suite's definitions to its cases: one for every parameter value, language, runtime, direction and thread
/// count.
///
/// Pure: the same suite gives the same cases in the same order, whatever the locale, the machine or the folder. Errors
/// are of the user's making: an unknown ${name}, or two definitions that give one id.
///
/// Order: definitions as written; within one, parameters (the first varies slowest), Python before C++, eager before
/// other runtimes, forward before forward + backward, threads as written.
#pragma once

#include <vector>

#include "base/error.h"
#include "definition/suite.h"
#include "expansion/case.h"

namespace tally {

Result<std::vector<Case>> expand(const Suite& suite);

}  // namespace tally
