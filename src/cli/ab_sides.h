/// What the two sides of `tally ab` measure: the suite of each, with what its programs list in its own environment, and
/// a plan of each.
#pragma once

#include <array>

#include "cli/ab_command.h"
#include "plan/plan.h"

namespace tally::cli {

/// Both sides run the same text, or programs whose benchmarks have the same ids; only what builds and hosts them
/// differs. An error: what is given for the sides does not fit together, or with the suite.
Result<std::array<Plan, 2>> plans_of_sides(const Context& context, const AbOptions& options);

/// What differs between the sides, of the options that both share.
Tools tools_of(const AbSide& said, Tools tools);

/// Whether any case is a benchmark program's.
bool has_programs(const std::array<Plan, 2>& plans);

}  // namespace tally::cli
