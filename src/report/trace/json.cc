#include "report/trace/json.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "trace/ranks.h"

namespace tally::report {
namespace {

using json::Array;
using json::Object;
using trace::Nanoseconds;

double ratio(Nanoseconds part, Nanoseconds whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

Object parts_json(const trace::Parts& p) {
  return {{"window_ns", p.window},
          {"busy_ns", p.busy},
          {"compute_ns", p.compute},
          {"comm_ns", p.communication},
          {"memory_ns", p.memory},
          {"exposed_comm_ns", p.exposed_communication},
          {"exposed_memory_ns", p.exposed_memory},
          {"idle_ns", p.idle},
          {"kernels", p.kernels},
          {"memory_events", p.memory_events},
          {"kernel_time_ns", p.kernel_time},
          {"utilization", ratio(p.busy, p.window)},
          {"overlapped_comm_ns", p.communication - p.exposed_communication}};
}

Object shares_json(const trace::MathShares& s) {
  return {{"total_ns", s.total},
          {"matmul_ns", s.matmul},
          {"convolution_ns", s.convolution},
          {"other_ns", s.other},
          {"unclassified_ns", s.unclassified},
          {"matmul_share", ratio(s.matmul, s.total)},
          {"convolution_share", ratio(s.convolution, s.total)},
          {"unclassified_share", ratio(s.unclassified, s.total)}};
}

Array kernels_json(const std::vector<trace::KernelRow>& rows, std::size_t most) {
  Array out;
  const std::size_t count = most == 0 ? rows.size() : std::min(most, rows.size());
  for (std::size_t i = 0; i < count; ++i) {
    const trace::KernelRow& r = rows[i];
    out.push_back(Object{{"name", r.name},
                         {"count", r.count},
                         {"total_ns", r.total},
                         {"mean_ns", static_cast<double>(r.total) / static_cast<double>(r.count)},
                         {"min_ns", r.min},
                         {"max_ns", r.max},
                         {"share", r.share},
                         {"class", r.communication ? "communication" : math_name(r.math)},
                         {"tensor_cores", r.tensor_cores}});
  }
  return out;
}

Array copies_json(const trace::DeviceFigures& d) {
  Array out;
  for (std::size_t i = 0; i < d.copies.size(); ++i) {
    const trace::CopyTotals& c = d.copies[i];
    if (c.count == 0) continue;
    out.push_back(
        Object{{"direction", direction_name(static_cast<trace::CopyDirection>(i))},
               {"count", c.count},
               {"bytes", c.bytes},
               {"time_ns", c.nanoseconds},
               {"gb_per_s", c.nanoseconds == 0 ? json::Value()
                                               : static_cast<double>(c.bytes) / static_cast<double>(c.nanoseconds)}});
  }
  return out;
}

/// Null where nothing is doubtful.
json::Value doubts_json(const trace::Doubts& doubts) {
  if (!doubts.any()) return {};
  Array covering;
  for (const trace::CoveringWork& one : doubts.covering)
    covering.push_back(Object{{"stream", one.stream},
                              {"name", one.name},
                              {"start_ns", one.start},
                              {"duration_ns", one.duration},
                              {"covered", one.covered}});
  Object out = {{"covering_work", std::move(covering)}, {"far_apart", nullptr}};
  if (doubts.far_apart) {
    const trace::FarApart& far = *doubts.far_apart;
    out["far_apart"] = Object{{"from_ns", far.from},
                              {"until_ns", far.until},
                              {"before", far.before},
                              {"after", far.after},
                              {"name", far.name}};
  }
  return out;
}

/// Null where the trace does not say.
json::Value rank_of(const trace::TraceResult& trace) {
  return trace.reading.rank < 0 ? json::Value() : trace.reading.rank;
}

Object device_json(const trace::DeviceFigures& d, const TraceJsonOptions& options) {
  Object out = {{"device", d.device}};
  out.update(parts_json(d.parts));
  out["doubts"] = doubts_json(d.doubts);
  out["matmul_convolution_ns"] = d.math_busy;
  out["start_ns"] = d.start;
  out["end_ns"] = d.end;
  if (options.unprofiled_duration > 0) {
    out["unprofiled_duration_ns"] = options.unprofiled_duration;
    out["utilization_of_duration"] = ratio(d.parts.busy, options.unprofiled_duration);
    out["matmul_convolution_of_duration"] = ratio(d.math_busy, options.unprofiled_duration);
  }
  if (d.steps_parts) out["steps_window"] = parts_json(*d.steps_parts);
  Array steps;
  for (const trace::StepFigures& s : d.steps) {
    Object step = {{"name", s.name}, {"start_ns", s.start}, {"end_ns", s.end}};
    step.update(parts_json(s.parts));
    steps.push_back(std::move(step));
  }
  out["steps"] = std::move(steps);
  out["math_by_name"] = shares_json(d.by_name);
  out["math_by_operator"] = d.by_operator ? shares_json(*d.by_operator) : json::Value();
  out["tensor_core_ns"] = d.tensor_core_time;
  out["tensor_core_share"] = ratio(d.tensor_core_time, d.by_name.total);
  out["estimates"] =
      Object{{"achieved_occupancy_percent", d.occupancy_estimate}, {"sm_efficiency", d.sm_efficiency_estimate}};
  out["copies"] = copies_json(d);
  const trace::IdleCauses& i = d.idle;
  out["idle_causes"] = Object{{"host_wait_ns", i.host},
                              {"kernel_wait_ns", i.kernel},
                              {"synchronisation_ns", i.synchronise},
                              {"other_ns", i.other},
                              {"gaps", i.gaps},
                              {"longest_ns", i.longest}};
  Object launches = {{"linked", d.linked},         {"unlinked", d.unlinked}, {"graph_launches", d.graph_launches},
                     {"graph_work", d.graph_work}, {"latency", nullptr},     {"queue", nullptr}};
  if (d.launch_latency) {
    const trace::Distribution& l = *d.launch_latency;
    launches["latency"] = Object{{"count", l.count}, {"min_ns", l.min}, {"p50_ns", l.p50},  {"p90_ns", l.p90},
                                 {"p99_ns", l.p99},  {"max_ns", l.max}, {"mean_ns", l.mean}};
  }
  if (d.queue)
    launches["queue"] =
        Object{{"longest", d.queue->longest}, {"mean", d.queue->mean}, {"share_empty", d.queue->share_empty}};
  out["launches"] = std::move(launches);
  Array streams;
  for (const trace::StreamFigures& s : d.streams)
    streams.push_back(Object{{"stream", s.stream},
                             {"kernels", s.kernels},
                             {"memory_events", s.memory_events},
                             {"busy_ns", s.busy},
                             {"share_of_window", ratio(s.busy, d.parts.window)}});
  out["streams"] = std::move(streams);
  out["kernel_names"] = d.kernels.size();
  out["kernels_by_name"] = kernels_json(d.kernels, options.kernels);
  out["kernels_by_short_name"] = kernels_json(d.short_kernels, options.kernels);
  return out;
}

/// A process as a trace has it: a number, or a name.
json::Value pid_json(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return text;
}

Object legacy_json(const trace::TraceResult& trace, const TraceJsonOptions& options) {
  const trace::LegacyFigures& l = *trace.figures.legacy;
  Nanoseconds busy = 0;
  for (const trace::DeviceFigures& d : trace.figures.devices) busy += d.parts.busy;
  Array pids;
  for (const std::string& pid : l.processes) pids.push_back(pid_json(pid));
  Object out = {{"seed_busy_ns", l.busy},         {"seed_matmul_ns", l.matmul},
                {"seed_pids", std::move(pids)},   {"busy_ns", busy},
                {"busy_error_ns", l.busy - busy}, {"busy_ratio", busy > 0 ? ratio(l.busy, busy) : json::Value()}};
  if (options.unprofiled_duration > 0) {
    out["seed_utilization"] = ratio(l.busy, options.unprofiled_duration);
    out["seed_matmul_share"] = ratio(l.matmul, options.unprofiled_duration);
  }
  return out;
}

Object ranks_json(const trace::RankComparison& ranks) {
  json::Array rows;
  for (const trace::RankRow& r : ranks.rows)
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

Object reading_json(const trace::FileReading& reading) {
  return {{"bytes", reading.bytes},
          {"events", reading.events},
          {"dropped", reading.pieces_dropped + reading.refused.total()},
          {"dropped_damaged", reading.pieces_dropped},
          {"dropped_malformed", reading.refused.malformed},
          {"dropped_no_time", reading.refused.no_time},
          {"dropped_no_room", reading.refused.no_room},
          {"bytes_skipped", reading.bytes_dropped + reading.stray_bytes},
          {"work_without_duration", reading.work_without_duration},
          {"objects_after_end", reading.objects_after_end},
          {"truncated", reading.truncated},
          {"input_fault", reading.input_fault.empty() ? json::Value() : reading.input_fault},
          {"other_device_events", reading.other_device_events},
          {"names_overflowed", reading.names_overflowed}};
}

Object trace_json(std::span<const trace::TraceResult> traces, const TraceJsonOptions& options) {
  Array devices;
  Array files;
  for (const trace::TraceResult& trace : traces) {
    Object file = {{"path", trace.path}, {"rank", rank_of(trace)}};
    file.update(reading_json(trace.reading));
    if (trace.figures.legacy) file["legacy"] = legacy_json(trace, options);
    files.push_back(std::move(file));
    for (const trace::DeviceFigures& d : trace.figures.devices) {
      Object device = device_json(d, options);
      if (traces.size() > 1) {
        device["trace"] = trace.path;
        device["rank"] = rank_of(trace);
      }
      devices.push_back(std::move(device));
    }
  }
  Object out = {{"schema", 1},
                {"name_rules_version", trace::kNameRulesVersion},
                {"devices", std::move(devices)},
                {"traces", std::move(files)}};
  if (traces.size() == 1) {
    out["events"] = traces[0].reading.events;
    if (traces[0].figures.legacy) out["legacy"] = legacy_json(traces[0], options);
  } else {
    out["ranks"] = ranks_json(trace::compare_ranks(traces));
  }
  return out;
}

}  // namespace tally::report
