/// The figures of functorch's old helper, as it defines them.
#pragma once

#include "trace/figures.h"

namespace tally::trace {

/// Gives the memory of `work` back.
LegacyFigures legacy_figures(LegacyWork& work);

}  // namespace tally::trace
