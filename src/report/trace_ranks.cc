#include "report/trace_ranks.h"

#include <algorithm>

namespace tally::report {
namespace {

double imbalance(double largest, double mean) { return mean > 0 ? (largest - mean) / mean : 0; }

}  // namespace

std::string_view math_name(trace::MathClass math) {
  switch (math) {
    case trace::MathClass::matmul:
      return "matmul";
    case trace::MathClass::convolution:
      return "convolution";
    case trace::MathClass::other:
      return "other";
    case trace::MathClass::unknown:
      break;
  }
  return "unclassified";
}

std::string_view direction_name(trace::CopyDirection direction) {
  switch (direction) {
    case trace::CopyDirection::host_to_device:
      return "host to device";
    case trace::CopyDirection::device_to_host:
      return "device to host";
    case trace::CopyDirection::device_to_device:
      return "device to device";
    case trace::CopyDirection::peer:
      return "peer to peer";
    case trace::CopyDirection::host_to_host:
      return "host to host";
    case trace::CopyDirection::other:
      break;
  }
  return "other";
}

RankComparison compare_ranks(std::span<const TraceResult> traces) {
  RankComparison out;
  for (const TraceResult& trace : traces) {
    for (const trace::DeviceFigures& d : trace.figures.devices) {
      RankRow row{trace.path, trace.data.rank, d.device, d.parts, 0};
      for (const trace::StepFigures& s : d.steps) row.step_mean_ns += static_cast<double>(s.end - s.start);
      if (!d.steps.empty()) row.step_mean_ns /= static_cast<double>(d.steps.size());
      out.rows.push_back(std::move(row));
    }
  }
  // Few rows; std::stable_sort's buffer is deprecated in libstdc++ 12, and an insertion keeps order as well.
  for (std::size_t i = 1; i < out.rows.size(); ++i)
    for (std::size_t k = i; k > 0 && out.rows[k].rank < out.rows[k - 1].rank; --k)
      std::swap(out.rows[k], out.rows[k - 1]);
  if (out.rows.size() < 2) return out;
  double compute = 0, comm = 0;
  trace::Nanoseconds most_compute = 0, most_comm = 0, least_comm = out.rows[0].parts.communication;
  trace::Nanoseconds least_compute = out.rows[0].parts.compute;
  for (std::size_t i = 0; i < out.rows.size(); ++i) {
    const trace::Parts& p = out.rows[i].parts;
    compute += static_cast<double>(p.compute);
    comm += static_cast<double>(p.communication);
    if (p.compute > most_compute) {
      most_compute = p.compute;
      out.straggler = static_cast<int>(i);
    }
    least_compute = std::min(least_compute, p.compute);
    most_comm = std::max(most_comm, p.communication);
    least_comm = std::min(least_comm, p.communication);
  }
  if (most_compute == least_compute) out.straggler = -1;
  const auto count = static_cast<double>(out.rows.size());
  out.compute_imbalance = imbalance(static_cast<double>(most_compute), compute / count);
  out.comm_imbalance = imbalance(static_cast<double>(most_comm), comm / count);
  for (const RankRow& row : out.rows) out.waiting += row.parts.communication - least_comm;
  return out;
}

json::Object ranks_json(const RankComparison& ranks) {
  json::Array rows;
  for (const RankRow& r : ranks.rows)
    rows.push_back(json::Object{{"trace", r.path},
                                {"rank", r.rank < 0 ? json::Value() : r.rank},
                                {"device", r.device},
                                {"window_ns", r.parts.window},
                                {"busy_ns", r.parts.busy},
                                {"compute_ns", r.parts.compute},
                                {"comm_ns", r.parts.communication},
                                {"exposed_comm_ns", r.parts.exposed_communication},
                                {"idle_ns", r.parts.idle},
                                {"step_mean_ns", r.step_mean_ns}});
  return {{"rows", std::move(rows)},
          {"straggler", ranks.straggler < 0 ? json::Value() : ranks.straggler},
          {"compute_imbalance", ranks.compute_imbalance},
          {"comm_imbalance", ranks.comm_imbalance},
          {"comm_beyond_least_ns", ranks.waiting}};
}

}  // namespace tally::report
