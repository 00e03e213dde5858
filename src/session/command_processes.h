/// Reads the processes of a whole command from a dump (protocol/command_tree.h). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measurement/command_use.h"

namespace tally {

/// In the dump's order; none of a dump that is of no command.
std::vector<ProcessCount> processes_in(std::string_view dump);

/// Where the dumps of two executions of one command disagree most, for a reader: "process 1.2 (/usr/bin/sort) executed
/// 1204 instructions in one run and 1210 in another, first of all in memcmp (+6)"; empty: they agree in all.
std::string difference(std::string_view dump, std::string_view other_dump);

}  // namespace tally
