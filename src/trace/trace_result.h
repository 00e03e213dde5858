/// One file that was read: its figures, with what is known about the reading of it.
#pragma once

#include <string>

#include "trace/figures.h"
#include "trace/trace_data.h"

namespace tally::trace {

struct TraceResult {
  std::string path;
  TraceData data;  ///< Spent: only its counters are looked at.
  TraceFigures figures;
};

}  // namespace tally::trace
