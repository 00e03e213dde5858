#include <algorithm>

#include "trace/analysis.h"

namespace tally::trace {

Column<std::uint32_t> synchronising_calls(const TraceData& data) {
  Column<std::uint32_t> waits;
  for (std::size_t i = 0; i < data.calls.size(); ++i)
    if (data.calls[i].call() == CallKind::synchronise) waits.push_back(static_cast<std::uint32_t>(i));
  std::sort(waits.begin(), waits.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Row &x = data.calls[a], &y = data.calls[b];
    return x.lane != y.lane ? x.lane < y.lane : x.start < y.start;
  });
  return waits;
}

namespace {

/// Whether `thread` sat in a synchronising call at `when`. Such calls of one thread do not overlap.
bool waiting(const TraceData& data, std::span<const std::uint32_t> waits, std::uint32_t thread, Nanoseconds when) {
  const auto after = std::ranges::partition_point(waits, [&](std::uint32_t w) {
    const Row& call = data.calls[w];
    return call.lane != thread ? call.lane < thread : call.start <= when;
  });
  if (after == waits.begin()) return false;
  const Row& call = data.calls[*(after - 1)];
  return call.lane == thread && call.end() >= when;
}

}  // namespace

void fill_idle(const TraceData& data, const DeviceWork& work, std::span<const std::uint32_t> waits,
               DeviceFigures& out) {
  Nanoseconds busy_until = work.rows.front().start;
  for (std::size_t i = 0; i < work.rows.size(); ++i) {
    const Row& row = work.rows[i];
    if (row.start > busy_until) {
      const Nanoseconds gap = row.start - busy_until;
      ++out.idle.gaps;
      out.idle.longest = std::max(out.idle.longest, gap);
      const std::uint32_t c = work.call[i];
      if (c == no_call) {
        out.idle.other += gap;
      } else if (const Row& call = data.calls[c]; call.start <= busy_until) {
        out.idle.kernel += gap;
      } else {
        (waiting(data, waits, call.lane, busy_until) ? out.idle.synchronise : out.idle.host) += gap;
      }
    }
    busy_until = std::max(busy_until, row.end());
  }
}

}  // namespace tally::trace
