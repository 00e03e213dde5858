/// The trace of a host's allocations that the counter writes, so that two starts can be compared: the first call that
/// differs names the code that read something different.
///
/// A file of records, in the order of the calls. Needs no C library.
#pragma once

#include <cstdint>

namespace tally::host {

inline constexpr const char* kTraceOption = "--allocation-trace=";

/// The functions whose calls are written. `stage` is none: with it a host says that it allocates from fresh memory from
/// here on, at addresses from `arguments[0]` on.
enum class Allocation : std::uint64_t {
  malloc,
  calloc,
  realloc,
  free,
  object_malloc,
  object_calloc,
  object_realloc,
  object_free,
  stage,
};
inline constexpr std::uint64_t kTracedFunctions = static_cast<std::uint64_t>(Allocation::stage);

struct AllocationCall {
  Allocation function;
  std::uint64_t arguments[2];  ///< Its first two; an allocator's own context, which comes before them, is none.
  std::uint64_t caller;        ///< Where it returns to.
};

/// Client requests to the counter, and to nobody else.
enum TraceRequest : unsigned {
  kBeginStage = 0x5454'0000,     ///< ('T','T'). Its argument: the lowest address of the stage.
  kTraceFunction = 0x5454'0001,  ///< Its arguments: an Allocation, and where that function begins.
};

}  // namespace tally::host
