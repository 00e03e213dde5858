/// `tally profile --lines`: the source lines of a case's instructions, as its profile keeps them.
#pragma once

#include <iosfwd>

#include "cli/profile_command.h"

namespace tally::cli {

/// Prints them; an exit code. Cases in Python, and profiles without lines, are refused.
int show_lines(const ProfileCommandOptions& options, const RenderOptions& render, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
