/// The text of a [[variants]] block, split into benchmarks.
///
/// "# @label" (or "// @label") opens a group; each line after it is a case of that group, and a line that leaves a
/// bracket open continues in the next. "@setup" and "@global_setup" (any case, space or underscore) fill the setup
/// instead. A group of several cases names them "Case:  0", "Case:  1", …; so does a block without groups.
#pragma once

#include <vector>

#include "base/error.h"
#include "definition/suite.h"

namespace tally {

Result<std::vector<Benchmark>> split_variants(const Variants& variants);

}  // namespace tally
