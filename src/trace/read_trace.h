/// A whole trace, read: source, splitter and collector put together.
#pragma once

#include <string>

#include "base/error.h"
#include "trace/brace_index.h"
#include "trace/byte_source.h"
#include "trace/trace_data.h"

namespace tally::trace {

struct ReadOptions {
  bool operators = false;       ///< Keep the operators that launches are linked to.
  bool legacy = false;          ///< Keep what the old helper's figures need: all complete events' spans.
  int threads = 2;              ///< 1: everything on the calling thread. 2: inflating, or reading fields, on another.
  IndexBraces index = nullptr;  ///< Null is the fastest.
};

/// An error only when the input cannot be read at all; damage is described in the data.
Result<TraceData> read_trace(const std::string& path, const ReadOptions& options);
Result<TraceData> read_trace(ByteSource& source, const ReadOptions& options);

}  // namespace tally::trace
