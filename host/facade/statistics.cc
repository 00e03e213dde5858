#include "benchmark/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

TALLYMARK_FACADE_BEGIN

double StatisticsMean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double StatisticsMedian(const std::vector<double>& values) {
  if (values.size() < 3) return StatisticsMean(values);
  std::vector<double> sorted(values);
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

double StatisticsStdDev(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = StatisticsMean(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double StatisticsCV(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = StatisticsMean(values);
  return mean == 0 ? 0 : StatisticsStdDev(values) / mean;
}

TALLYMARK_FACADE_END
