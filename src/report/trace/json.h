/// The figures of traces as JSON: what `tally trace --json` prints.
///
/// Pure. Every key has its unit in its name or is a count or a share between 0 and 1. Keys keep their order. Text that
/// is no UTF-8 comes out with replacement characters.
#pragma once

#include <span>
#include <string_view>

#include "json/value.h"
#include "trace/trace_result.h"

namespace tally::report {

struct TraceJsonOptions {
  std::size_t kernels = 50;                    ///< Rows of each kernel table; 0 is all.
  trace::Nanoseconds unprofiled_duration = 0;  ///< --duration; 0 is none.
};

json::Object trace_json(std::span<const trace::TraceResult> traces, const TraceJsonOptions& options);

/// How reading went, for one file.
json::Object reading_json(const trace::FileReading& reading);

std::string_view math_name(trace::MathClass math);                ///< "matmul", "convolution", "other", "unclassified"
std::string_view direction_name(trace::CopyDirection direction);  ///< "host to device", …

}  // namespace tally::report
