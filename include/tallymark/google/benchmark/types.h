/// The small types of Google Benchmark's interface, and the namespace that they are in.
///
/// All of it is in an inline namespace of its own: an object file that was compiled with these headers does not link
/// against the real library, nor the other way round, and the linker's message names the reason.
#ifndef TALLYMARK_BENCHMARK_TYPES_H
#define TALLYMARK_BENCHMARK_TYPES_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/export.h"
#include "benchmark/macros.h"

#define TALLYMARK_FACADE_BEGIN \
  namespace benchmark {        \
  inline namespace compiled_with_tallymark_not_with_google_benchmark {
#define TALLYMARK_FACADE_END \
  }                          \
  }

TALLYMARK_FACADE_BEGIN

class State;
class Benchmark;
class BenchmarkReporter;

using IterationCount = std::int64_t;
using ComplexityN = std::int64_t;
using callback_function = std::function<void(const State&)>;

enum TimeUnit { kNanosecond, kMicrosecond, kMillisecond, kSecond };
enum BigO { oNone, o1, oN, oNSquared, oNCubed, oLogN, oNLogN, oAuto, oLambda };
enum StatisticUnit { kTime, kPercentage };

typedef double(BigOFunc)(ComplexityN);
typedef double(StatisticsFunc)(const std::vector<double>&);

namespace internal {

typedef void(Function)(State&);

enum AggregationReportMode : unsigned {
  ARM_Unspecified = 0,
  ARM_Default = 1,
  ARM_FileReportAggregatesOnly = 2,
  ARM_DisplayReportAggregatesOnly = 4,
  ARM_ReportAggregatesOnly = 6
};

enum Skipped : unsigned { NotSkipped = 0, SkippedWithMessage, SkippedWithError };

using ::std::make_unique;

}  // namespace internal

TimeUnit GetDefaultTimeUnit();
void SetDefaultTimeUnit(TimeUnit unit);

/// "ns", "us", "ms", "s".
const char* GetTimeUnitString(TimeUnit unit);
/// So many of the unit are a second.
double GetTimeUnitMultiplier(TimeUnit unit);

TALLYMARK_FACADE_END

#endif
