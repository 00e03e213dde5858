/// `tally doctor --machine`: the facts of this machine that counts depend on, and what may move them.
#pragma once

#include <iosfwd>

#include "cli/context.h"
#include "process/process.h"

namespace tally::cli {

/// Prints the facts of each built-in toolchain's environment, as a record has them before a case has run, then what may
/// move counts though no fact says so, then what moves none. Exit code 0: it judges nothing.
int describe_this_machine(ProcessRunner& runner, const Context& context, bool as_json, std::ostream& out);

}  // namespace tally::cli
