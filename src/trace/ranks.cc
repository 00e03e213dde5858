#include "trace/ranks.h"

#include <algorithm>

namespace tally::trace {
namespace {

RankRow row_of(const TraceResult& trace, const DeviceFigures& device) {
  RankRow row{trace.path, trace.reading.rank, device.device, device.parts, 0};
  for (const StepFigures& step : device.steps) row.step_mean_ns += static_cast<double>(step.end - step.start);
  if (!device.steps.empty()) row.step_mean_ns /= static_cast<double>(device.steps.size());
  return row;
}

/// By rank; rows of one rank keep their order. Few rows; std::stable_sort's buffer is deprecated in libstdc++ 12, and
/// an insertion keeps order as well.
void sort_by_rank(std::vector<RankRow>& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    for (std::size_t k = i; k > 0 && rows[k].rank < rows[k - 1].rank; --k) std::swap(rows[k], rows[k - 1]);
  }
}

/// (max − mean) / mean.
double imbalance(std::span<const RankRow> rows, Nanoseconds Parts::* part) {
  Nanoseconds largest = 0;
  double sum = 0;
  for (const RankRow& row : rows) {
    largest = std::max(largest, row.parts.*part);
    sum += static_cast<double>(row.parts.*part);
  }
  const double mean = sum / static_cast<double>(rows.size());
  return mean > 0 ? (static_cast<double>(largest) - mean) / mean : 0;
}

}  // namespace

RankComparison compare_ranks(std::span<const TraceResult> traces) {
  RankComparison out;
  for (const TraceResult& trace : traces) {
    for (const DeviceFigures& device : trace.figures.devices) out.rows.push_back(row_of(trace, device));
  }
  sort_by_rank(out.rows);
  if (out.rows.size() < 2) return out;
  const auto compute = [](const RankRow& row) { return row.parts.compute; };
  const auto communication = [](const RankRow& row) { return row.parts.communication; };
  const auto most = std::ranges::max_element(out.rows, {}, compute);
  if (compute(*most) > compute(*std::ranges::min_element(out.rows, {}, compute)))
    out.straggler = static_cast<int>(most - out.rows.begin());
  out.compute_imbalance = imbalance(out.rows, &Parts::compute);
  out.comm_imbalance = imbalance(out.rows, &Parts::communication);
  const Nanoseconds least = communication(*std::ranges::min_element(out.rows, {}, communication));
  for (const RankRow& row : out.rows) out.waiting += communication(row) - least;
  return out;
}

}  // namespace tally::trace
