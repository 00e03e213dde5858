/// Figures over the repetitions of a benchmark.
#ifndef TALLYMARK_BENCHMARK_STATISTICS_H
#define TALLYMARK_BENCHMARK_STATISTICS_H

#include "benchmark/types.h"

TALLYMARK_FACADE_BEGIN

namespace internal {

struct Statistics {
  Statistics(const std::string& name, StatisticsFunc* compute, StatisticUnit unit = kTime)
      : name_(name), compute_(compute), unit_(unit) {}
  std::string name_;
  StatisticsFunc* compute_;
  StatisticUnit unit_;
};

}  // namespace internal

double StatisticsMean(const std::vector<double>& values);
double StatisticsMedian(const std::vector<double>& values);
double StatisticsStdDev(const std::vector<double>& values);
double StatisticsCV(const std::vector<double>& values);

TALLYMARK_FACADE_END

#endif
