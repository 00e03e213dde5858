/// What a dump says of a whole command's processes (protocol/command_tree.h). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measurement/command_use.h"

namespace tally {

/// In the dump's order; none of a dump that is of no command.
std::vector<ProcessCount> processes_in(std::string_view dump);

/// Where two executions of one command disagree most, for a reader: "process 1.2 (/usr/bin/sort) executed 1204
/// instructions in one run and 1210 in another"; empty: they agree in all.
std::string difference(const std::vector<ProcessCount>& one, const std::vector<ProcessCount>& other);

}  // namespace tally
