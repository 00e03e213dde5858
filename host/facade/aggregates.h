/// Figures over several runs: of one benchmark's repetitions, and of one family's sizes.
#pragma once

#include "benchmark/reporter.h"

TALLYMARK_FACADE_BEGIN

namespace internal {

/// mean, median, stddev, cv and the benchmark's own, of those repetitions that were not skipped; nothing for fewer
/// than two.
std::vector<BenchmarkReporter::Run> statistics_of(const std::vector<BenchmarkReporter::Run>& runs,
                                                  const std::vector<Statistics>& own);

/// The coefficient of the best (or the given) function of complexity_n, and the root mean square of what is left of
/// the times, as a share of their mean; nothing for fewer than two.
std::vector<BenchmarkReporter::Run> complexity_of(const std::vector<BenchmarkReporter::Run>& runs);

/// "(1)", "N", "lgN", "NlgN", "N^2", "N^3", "f(N)".
const char* big_o_text(BigO complexity);

}  // namespace internal

TALLYMARK_FACADE_END
