#include "report/trace/report.h"

#include <fmt/format.h>

#include "report/text/format.h"
#include "report/trace/json.h"
#include "trace/ranks.h"

namespace tally::report {
namespace {

using trace::Nanoseconds;

std::string count(std::uint64_t value) { return format_count(static_cast<double>(value)); }

void parts_row(Table& table, std::string window, const trace::Parts& p) {
  table.rows.push_back({{std::move(window)},
                        {format_nanoseconds(p.window)},
                        {format_part(p.busy, p.window), Tint::bold},
                        {format_part(p.compute, p.window)},
                        {format_part(p.exposed_communication, p.window)},
                        {format_part(p.exposed_memory, p.window)},
                        {format_part(p.idle, p.window)},
                        {format_part(p.communication - p.exposed_communication, p.communication)}});
}

std::string doubts_text(const trace::Doubts& doubts) {
  std::string out;
  for (const trace::CoveringWork& one : doubts.covering)
    out += fmt::format(
        "  doubtful: on stream {}, \"{}\" of {} still runs when {} later pieces of work begin and end. One stream runs "
        "one\n"
        "    after the other: its duration or its start is wrong, and so are busy, idle and utilization\n",
        printable(one.stream), printable(one.name), format_nanoseconds(one.duration), count(one.covered));
  if (doubts.far_apart) {
    const trace::FarApart& far = *doubts.far_apart;
    out += fmt::format(
        "  doubtful: nothing runs for {}, with {} pieces of work before and {} after (next to it: \"{}\"). If a start "
        "was\n"
        "    lost, the window, idle and utilization are wrong\n",
        format_nanoseconds(far.until - far.from), count(far.before), count(far.after), printable(far.name));
  }
  return out;
}

Table parts_table() {
  return {.columns = {{"window", false, 12},
                      {"length", true},
                      {"busy", true},
                      {"compute", true},
                      {"exposed comm", true},
                      {"exposed memory", true},
                      {"idle", true},
                      {"comm overlapped", true, 0, 1}},
          .rows = {}};
}

std::string shares_line(std::string_view by, const trace::MathShares& s) {
  return fmt::format("  matmul {}, convolution {}, other {}, unclassified {} of compute-kernel time, {}\n",
                     format_part(s.matmul, s.total), format_part(s.convolution, s.total), format_part(s.other, s.total),
                     format_part(s.unclassified, s.total), by);
}

std::string kernel_table(const trace::DeviceFigures& d, const TraceTextOptions& options) {
  const auto& rows = options.full_names ? d.kernels : d.short_kernels;
  if (rows.empty()) return {};
  Table table{.columns = {{"kernel", false, 16},
                          {"count", true},
                          {"total", true},
                          {"share", true},
                          {"mean", true, 0, 2},
                          {"min", true, 0, 3},
                          {"max", true, 0, 3},
                          {"class", false, 0, 1}},
              .rows = {}};
  const std::size_t shown = options.kernels == 0 ? rows.size() : std::min(options.kernels, rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const trace::KernelRow& r = rows[i];
    std::string kind(r.communication ? "communication" : math_name(r.math));
    if (r.tensor_cores) kind += ", tensor cores";
    table.rows.push_back({{printable(r.name)},
                          {count(r.count)},
                          {format_nanoseconds(r.total)},
                          {fmt::format("{:.1f} %", 100 * r.share)},
                          {format_nanoseconds(r.total / static_cast<Nanoseconds>(r.count))},
                          {format_nanoseconds(r.min)},
                          {format_nanoseconds(r.max)},
                          {std::move(kind)}});
  }
  std::string out = render_table(table, options.render);
  if (shown < rows.size())
    out += fmt::format("… and {} more kernels (--kernels 0 shows all)\n", count(rows.size() - shown));
  return out;
}

std::string launches_text(const trace::DeviceFigures& d) {
  std::string out;
  if (d.launch_latency) {
    const trace::Distribution& l = *d.launch_latency;
    out +=
        fmt::format("  launch latency: median {}, 90 % {}, 99 % {}, longest {} ({} launches", format_nanoseconds(l.p50),
                    format_nanoseconds(l.p90), format_nanoseconds(l.p99), format_nanoseconds(l.max), count(l.count));
    if (d.graph_launches != 0)
      out += fmt::format(", {} of graphs with {} pieces of work", count(d.graph_launches), count(d.graph_work));
    out += fmt::format("; {} pieces of work without a known launch)\n", count(d.unlinked));
  }
  if (d.queue)
    out += fmt::format("  queue: {:.1f} launches waiting on average, {} at most, empty {:.1f} % of the time\n",
                       d.queue->mean, count(d.queue->longest), 100 * d.queue->share_empty);
  return out;
}

std::string device_text(const trace::TraceResult& trace, const trace::DeviceFigures& d,
                        const TraceTextOptions& options) {
  std::string out =
      fmt::format("\nDevice {}{}: {} kernels, {} copies and fills, {} of kernel time\n", printable(d.device),
                  trace.reading.rank >= 0 ? fmt::format(" (rank {})", trace.reading.rank) : "", count(d.parts.kernels),
                  count(d.parts.memory_events), format_nanoseconds(d.parts.kernel_time));
  Table table = parts_table();
  parts_row(table, "first to last work", d.parts);
  if (d.steps_parts) parts_row(table, fmt::format("{} steps", d.steps.size()), *d.steps_parts);
  constexpr std::size_t most_steps = 20;
  for (std::size_t i = 0; options.steps && d.steps.size() > 1 && i < std::min(d.steps.size(), most_steps); ++i)
    parts_row(table, printable(d.steps[i].name), d.steps[i].parts);
  out += render_table(table, options.render) + doubts_text(d.doubts);
  if (options.unprofiled_duration > 0)
    out += fmt::format("  over the unprofiled run time of {}: utilization {}, matmul and convolution {}\n",
                       format_nanoseconds(options.unprofiled_duration),
                       format_part(d.parts.busy, options.unprofiled_duration),
                       format_part(d.math_busy, options.unprofiled_duration));
  const trace::IdleCauses& i = d.idle;
  const Nanoseconds idle = d.parts.idle;
  out += fmt::format("  idle: host wait {}, kernel wait {}, synchronisation {}, other {}; {} gaps, longest {}\n",
                     format_part(i.host, idle), format_part(i.kernel, idle), format_part(i.synchronise, idle),
                     format_part(i.other, idle), count(i.gaps), format_nanoseconds(i.longest));
  if (d.by_operator) out += shares_line("by linked operator", *d.by_operator);
  out += shares_line(fmt::format("by name rules {}", trace::kNameRulesVersion), d.by_name);
  out += fmt::format("  tensor cores: {} of compute-kernel time, by name\n",
                     format_part(d.tensor_core_time, d.by_name.total));
  if (d.occupancy_estimate || d.sm_efficiency_estimate)
    out += fmt::format("  estimates of the profiler: occupancy {}, SM efficiency {}\n",
                       d.occupancy_estimate ? fmt::format("{:.1f} %", *d.occupancy_estimate) : "-",
                       d.sm_efficiency_estimate ? fmt::format("{:.1f} %", 100 * *d.sm_efficiency_estimate) : "-");
  for (std::size_t k = 0; k < d.copies.size(); ++k) {
    const trace::CopyTotals& c = d.copies[k];
    if (c.count == 0) continue;
    out += fmt::format("  copies {}: {}, {:.3f} GB", direction_name(static_cast<trace::CopyDirection>(k)),
                       count(c.count), static_cast<double>(c.bytes) * 1e-9);
    if (c.nanoseconds > 0)
      out += fmt::format(", {:.2f} GB/s", static_cast<double>(c.bytes) / static_cast<double>(c.nanoseconds));
    out += '\n';
  }
  out += launches_text(d);
  for (const trace::StreamFigures& s : d.streams)
    if (d.streams.size() > 1)
      out += fmt::format("  stream {}: busy {} ({}), {} kernels, {} copies and fills\n", printable(s.stream),
                         format_nanoseconds(s.busy), format_part(s.busy, d.parts.window), count(s.kernels),
                         count(s.memory_events));
  return out + kernel_table(d, options);
}

std::string ranks_text(std::span<const trace::TraceResult> traces, const TraceTextOptions& options) {
  const trace::RankComparison ranks = trace::compare_ranks(traces);
  if (ranks.rows.size() < 2) return {};
  Table table{.columns = {{"rank", true},
                          {"device", false, 4},
                          {"compute", true},
                          {"comm", true},
                          {"exposed comm", true},
                          {"idle", true},
                          {"trace", false, 10, 1}},
              .rows = {}};
  for (const trace::RankRow& r : ranks.rows)
    table.rows.push_back({{r.rank < 0 ? "-" : std::to_string(r.rank)},
                          {printable(r.device)},
                          {format_nanoseconds(r.parts.compute)},
                          {format_nanoseconds(r.parts.communication)},
                          {format_nanoseconds(r.parts.exposed_communication)},
                          {format_nanoseconds(r.parts.idle)},
                          {printable(r.path)}});
  std::string out = "\nRanks\n" + render_table(table, options.render);
  if (ranks.straggler >= 0) {
    const trace::RankRow& slowest = ranks.rows[static_cast<std::size_t>(ranks.straggler)];
    out += fmt::format("  most compute: {} ({:+.1f} % of the mean); communication beyond the least, over all: {}\n",
                       slowest.rank < 0 ? printable(slowest.path) : fmt::format("rank {}", slowest.rank),
                       100 * ranks.compute_imbalance, format_nanoseconds(ranks.waiting));
  }
  return out;
}

std::string legacy_shares(const trace::LegacyFigures& l, Nanoseconds duration) {
  const auto share = [&](Nanoseconds part) { return static_cast<double>(part) / static_cast<double>(duration); };
  return fmt::format("  old helper, over {}: utilization {:.4f}, matmul and convolution {:.4f}\n",
                     format_nanoseconds(duration), share(l.busy), share(l.matmul));
}

}  // namespace

std::string render_reading(const trace::TraceResult& trace) {
  const trace::FileReading& d = trace.reading;
  std::string out = fmt::format("{}: {} events, {:.1f} MB of JSON\n", printable(trace.path), count(d.events),
                                static_cast<double>(d.bytes) * 1e-6);
  if (d.pieces_dropped != 0)
    out += fmt::format("  damaged: {} events dropped, {} bytes skipped\n", count(d.pieces_dropped),
                       count(d.bytes_dropped));
  if (d.stray_bytes != 0) out += fmt::format("  damaged: {} stray bytes between events\n", count(d.stray_bytes));
  if (d.refused.malformed != 0)
    out += fmt::format("  damaged: {} events are not JSON inside\n", count(d.refused.malformed));
  if (d.refused.no_time != 0)
    out += fmt::format("  not used: {} events without a usable time\n", count(d.refused.no_time));
  if (d.refused.no_room != 0)
    out += fmt::format("  not used: {} events of more devices, streams or threads than can be distinguished\n",
                       count(d.refused.no_room));
  if (d.work_without_duration != 0)
    out +=
        fmt::format("  {} pieces of device work have no duration; they count as 0 s\n", count(d.work_without_duration));
  if (d.events != 0 && d.objects_after_end != 0)
    out +=
        fmt::format("  not read: {} more JSON objects after the document's end (is it several traces in one file?)\n",
                    count(d.objects_after_end));
  if (d.truncated) out += "  the file ends before its document does\n";
  if (!d.input_fault.empty()) out += fmt::format("  {}\n", d.input_fault);
  if (d.names_overflowed != 0)
    out += fmt::format("  {} kernels have names beyond the table's room; they are shown as one\n",
                       count(d.names_overflowed));
  if (d.other_device_events != 0)
    out += fmt::format("  {} events of device categories that are not counted as work (see docs/reference/trace.md)\n",
                       count(d.other_device_events));
  if (d.events != 0 && trace.figures.devices.empty()) out += "  no GPU work in this trace\n";
  if (trace.figures.legacy) {
    const trace::LegacyFigures& l = *trace.figures.legacy;
    Nanoseconds busy = 0;
    for (const trace::DeviceFigures& device : trace.figures.devices) busy += device.parts.busy;
    out += fmt::format(
        "  old helper: busy {}, matmul {}; against {} busy by our definition ({})\n", format_nanoseconds(l.busy),
        format_nanoseconds(l.matmul), format_nanoseconds(busy),
        busy > 0 ? fmt::format("{:.3g} times", static_cast<double>(l.busy) / static_cast<double>(busy)) : "no work");
  }
  return out;
}

std::string render_doubts(const trace::TraceFigures& figures) {
  std::string out;
  for (const trace::DeviceFigures& d : figures.devices) {
    if (!d.doubts.any()) continue;
    if (figures.devices.size() > 1) out += fmt::format("  device {}:\n", printable(d.device));
    out += doubts_text(d.doubts);
  }
  return out;
}

std::string render_trace(std::span<const trace::TraceResult> traces, const TraceTextOptions& options) {
  std::string out;
  for (const trace::TraceResult& trace : traces) {
    if (!out.empty()) out += '\n';
    out += render_reading(trace);
    if (trace.figures.legacy && options.unprofiled_duration > 0)
      out += legacy_shares(*trace.figures.legacy, options.unprofiled_duration);
    for (const trace::DeviceFigures& d : trace.figures.devices) out += device_text(trace, d, options);
  }
  return out + ranks_text(traces, options);
}

}  // namespace tally::report
