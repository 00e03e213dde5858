/// Turns the places in a Python host's messages into the suite's own. Pure.
#pragma once

#include <string>
#include <string_view>

#include "expansion/case.h"
#include "profile/allocation_sites.h"

namespace tally {

/// The parts of a Python case in the order in which the host numbers them; generated parts have no place of their own.
std::vector<Snippet> python_parts(const Case& one);

/// Where a host's line number is in the suite; an unknown position for what we generated.
SourcePosition place_of(int line, const std::vector<Snippet>& parts);

/// A place in a case's own text becomes the suite's: its functions are nested in one of ours.
void name_place(PythonPlace& place, const std::vector<Snippet>& parts);

/// `detail` with every `File "<tally>", line N` replaced by the suite's file and line, and the line of text below it.
std::string map_traceback(std::string_view detail, const std::vector<Snippet>& parts);

/// "file:line" of the innermost of our frames, or "".
std::string innermost_place(std::string_view detail, const std::vector<Snippet>& parts);

}  // namespace tally
