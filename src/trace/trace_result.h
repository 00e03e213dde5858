/// One file that was read: its figures, with what is known about the reading of it.
#pragma once

#include <string>

#include "trace/figures.h"
#include "trace/file_reading.h"

namespace tally::trace {

struct TraceResult {
  std::string path;
  FileReading reading;
  TraceFigures figures;
};

}  // namespace tally::trace
