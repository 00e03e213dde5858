/// Several traces of one job side by side: who computes most, who waits most, who lags.
///
/// Pure. Clocks of different machines are not compared, only lengths of time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "trace/trace_result.h"

namespace tally::trace {

struct RankRow {
  std::string path;
  int rank = -1;
  std::string device;
  Parts parts;
  double step_mean_ns = 0;  ///< 0 without ProfilerSteps.
};

struct RankComparison {
  std::vector<RankRow> rows;  ///< By rank, then in the order given.
  /// The rank with the most compute time: the others wait for it in their collectives. Index into rows; -1 for fewer
  /// than two rows or no difference.
  int straggler = -1;
  double compute_imbalance = 0;  ///< (max − mean) / mean of compute time.
  double comm_imbalance = 0;     ///< The same of communication time.
  Nanoseconds waiting = 0;       ///< Sum over ranks of communication beyond the least: time lost to waiting, at most.
};

RankComparison compare_ranks(std::span<const TraceResult> traces);

}  // namespace tally::trace
