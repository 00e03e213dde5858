/// The figures of traces as text for a terminal.
///
/// Pure: takes figures, returns text. Names that came from a trace are made harmless.
#pragma once

#include <span>
#include <string>

#include "report/text/table.h"
#include "trace/trace_result.h"

namespace tally::report {

struct TraceTextOptions {
  RenderOptions render;
  std::size_t kernels = 20;  ///< Rows of the kernel table; 0 is all.
  bool full_names = false;   ///< Full kernel names instead of short ones.
  bool steps = true;
  trace::Nanoseconds unprofiled_duration = 0;  ///< --duration; 0 is none.
};

std::string render_trace(std::span<const trace::TraceResult> traces, const TraceTextOptions& options);

/// "nccl.json: 40,573 events …", with a line for each kind of damage.
std::string render_reading(const trace::TraceResult& trace);

/// A sentence for each thing that cannot be true; empty where there is none.
std::string render_doubts(const trace::TraceFigures& figures);

}  // namespace tally::report
