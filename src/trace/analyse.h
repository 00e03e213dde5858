/// From what was read of a trace to its figures. Pure.
#pragma once

#include <cstddef>

#include "trace/figures.h"
#include "trace/trace_data.h"

namespace tally::trace {

struct AnalyseOptions {
  std::size_t timeline_slices = 200;
  bool steps = true;
  std::size_t timeline_events = 0;  ///< At most so many events of a timeline; 0: none is made.
  int threads = 1;                  ///< 2: what does not need each other at once. The figures are the same.
};

/// Sorts the rows of `data` and gives its memory back as it goes: `data` is spent afterwards, but for its `reading`.
TraceFigures analyse(TraceData& data, const AnalyseOptions& options);

}  // namespace tally::trace
