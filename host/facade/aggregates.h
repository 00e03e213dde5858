/// Figures over several runs: of one benchmark's repetitions, and of one family's sizes.
#pragma once

#include <utility>
#include <vector>

#include "benchmark/reporter.h"

TALLYMARK_FACADE_BEGIN

namespace internal {

/// mean, median, stddev, cv, from six repetitions on the ends of the median's interval (median_low, median_high), and
/// the benchmark's own, of those repetitions that were not skipped; nothing for fewer than two.
std::vector<BenchmarkReporter::Run> statistics_of(const std::vector<BenchmarkReporter::Run>& runs,
                                                  const std::vector<Statistics>& own);

/// The narrowest two of six values or more, as far from each end, that enclose the median of what they are drawn from
/// with a probability of 95 % or more, whatever it is distributed like: by the signs of their differences from it.
std::pair<double, double> median_interval(std::vector<double> values);

/// The coefficient of the best (or the given) function of complexity_n, and the root mean square of what is left of
/// the times, as a share of their mean; nothing for fewer than two.
std::vector<BenchmarkReporter::Run> complexity_of(const std::vector<BenchmarkReporter::Run>& runs);

/// "(1)", "N", "lgN", "NlgN", "N^2", "N^3", "f(N)".
const char* big_o_text(BigO complexity);

}  // namespace internal

TALLYMARK_FACADE_END
