/// [[program]] of a suite file, into the suite's definitions.
#pragma once

#include <string>

#include "definition/read_suite.h"

namespace tally {

/// The program's path is taken from `folder`. Errors, each with its place: keys, what `list` says, and Suite::add's.
Status read_program(const TomlNode& table, const std::string& folder, const ProgramLister& list, Suite& suite);

}  // namespace tally
