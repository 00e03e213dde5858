#include "benchmark/types.h"

TALLYMARK_FACADE_BEGIN

namespace {

/// Set before main() too, where benchmarks are made known.
TimeUnit g_default_unit = kNanosecond;

}  // namespace

TimeUnit GetDefaultTimeUnit() { return g_default_unit; }
void SetDefaultTimeUnit(TimeUnit unit) { g_default_unit = unit; }

const char* GetTimeUnitString(TimeUnit unit) {
  if (unit == kSecond) return "s";
  if (unit == kMillisecond) return "ms";
  return unit == kMicrosecond ? "us" : "ns";
}

double GetTimeUnitMultiplier(TimeUnit unit) {
  if (unit == kSecond) return 1;
  if (unit == kMillisecond) return 1e3;
  return unit == kMicrosecond ? 1e6 : 1e9;
}

TALLYMARK_FACADE_END
