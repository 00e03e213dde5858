/// Reads the table that the observer of Python calls leaves (protocol/python_calls.h). Pure.
#pragma once

#include <string_view>

#include "base/error.h"
#include "profile/python_functions.h"

namespace tally {

/// An error: it is cut off or damaged, or had no place for all calls.
Result<PythonCalls> read_python_calls(std::string_view bytes);

}  // namespace tally
