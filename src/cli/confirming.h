/// How `check --confirm` measures suspects again: with this process's own signals and CPUs, as their record says.
#pragma once

#include <iosfwd>

#include "cli/check_command.h"
#include "cli/context.h"

namespace tally::cli {

Remeasure remeasure_with(const Context& context, const CheckCommandOptions& options, std::ostream& err);

}  // namespace tally::cli
