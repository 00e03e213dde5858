/// What measures memory or profiles beside a program that runs by itself. `tally` calls neither.
#ifndef TALLYMARK_BENCHMARK_MANAGERS_H
#define TALLYMARK_BENCHMARK_MANAGERS_H

#include <limits>

#include "benchmark/types.h"

TALLYMARK_FACADE_BEGIN

/// Started and stopped around a run of its own, of a few iterations, whose time is not measured.
class MemoryManager {
 public:
  static constexpr std::int64_t TombstoneValue = std::numeric_limits<std::int64_t>::max();

  struct Result {
    std::int64_t num_allocs = 0;
    std::int64_t max_bytes_used = 0;
    std::int64_t total_allocated_bytes = TombstoneValue;  ///< Not known.
    std::int64_t net_heap_growth = TombstoneValue;        ///< Not known.
    IterationCount memory_iterations = 0;
  };

  virtual ~MemoryManager() = default;
  virtual void Start() = 0;
  virtual void Stop(Result& result) = 0;
};

/// Null: none any more. Not owned.
void RegisterMemoryManager(MemoryManager* manager);

class ProfilerManager {
 public:
  virtual ~ProfilerManager() = default;
  virtual void AfterSetupStart() = 0;
  virtual void BeforeTeardownStop() = 0;
};

void RegisterProfilerManager(ProfilerManager* manager);

TALLYMARK_FACADE_END

#endif
