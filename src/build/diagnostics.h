/// Shortens a failed build's output for a reader: the first complaint in one line, the rest as a log. Pure.
#pragma once

#include <string>

#include "process/process.h"

namespace tally {

/// The first line that holds "error:" (or "undefined reference"/"undefined symbol"), else the last line that is not
/// blank, else how the process ended.
std::string first_complaint(const ProcessResult& result);

}  // namespace tally
