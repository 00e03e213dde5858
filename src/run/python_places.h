/// Places in Python as a case's process names them, in the suite's words. Pure.
#pragma once

#include <vector>

#include "definition/snippet.h"
#include "profile/allocation_sites.h"

namespace tally {

/// A place in a case's own text becomes the suite's: its functions are nested in one of ours.
void name_place(PythonPlace& place, const std::vector<Snippet>& parts);

}  // namespace tally
