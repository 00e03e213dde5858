/// Numbers that a benchmark reports beside its times.
#ifndef TALLYMARK_BENCHMARK_COUNTER_H
#define TALLYMARK_BENCHMARK_COUNTER_H

#include "benchmark/types.h"

TALLYMARK_FACADE_BEGIN

class Counter {
 public:
  enum Flags {
    kDefaults = 0,
    kIsRate = 1 << 0,      ///< Divided by the time in seconds.
    kAvgThreads = 1 << 1,  ///< Divided by the number of threads.
    kAvgThreadsRate = kIsRate | kAvgThreads,
    kIsIterationInvariant = 1 << 2,  ///< Of one iteration: multiplied by their number.
    kIsIterationInvariantRate = kIsRate | kIsIterationInvariant,
    kAvgIterations = 1 << 3,  ///< Divided by it.
    kAvgIterationsRate = kIsRate | kAvgIterations,
    kInvert = 1 << 31  ///< One over it, at last.
  };
  enum OneK { kIs1000 = 1000, kIs1024 = 1024 };

  Counter(double its_value = 0., Flags its_flags = kDefaults, OneK k = kIs1000)  // NOLINT: implicit, as it is there
      : value(its_value), flags(its_flags), oneK(k) {}

  operator const double&() const { return value; }  // NOLINT
  operator double&() { return value; }              // NOLINT

  double value;
  Flags flags;
  OneK oneK;
};

inline Counter::Flags operator|(const Counter::Flags& a, const Counter::Flags& b) {
  return static_cast<Counter::Flags>(static_cast<int>(a) | static_cast<int>(b));
}

using UserCounters = std::map<std::string, Counter>;

TALLYMARK_FACADE_END

#endif
