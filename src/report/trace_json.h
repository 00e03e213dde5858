/// The figures of traces as JSON: what `tally trace --json` prints.
///
/// Pure. Every key has its unit in its name or is a count or a share between 0 and 1. Keys keep their order. Text that
/// is no UTF-8 comes out with replacement characters.
#pragma once

#include <span>
#include <string>

#include "json/value.h"
#include "trace/figures.h"
#include "trace/trace_data.h"

namespace tally::report {

/// One file's figures with what is known about the reading of it.
struct TraceResult {
  std::string path;
  trace::TraceData data;  ///< Spent: only its counters are looked at.
  trace::TraceFigures figures;
};

struct TraceJsonOptions {
  std::size_t kernels = 50;                    ///< Rows of each kernel table; 0 is all.
  trace::Nanoseconds unprofiled_duration = 0;  ///< --duration; 0 is none.
};

json::Object trace_json(std::span<const TraceResult> traces, const TraceJsonOptions& options);

/// How reading went, for one file.
json::Object reading_json(const trace::TraceData& data);

}  // namespace tally::report
