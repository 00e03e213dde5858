#include "trace/idle.h"

#include <algorithm>
#include <array>
#include <utility>

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

/// Why the device was idle from `since` until `row` began.
IdleCause cause_of(const TraceData& data, std::uint32_t launch, std::span<const std::uint32_t> waits,
                   Nanoseconds since) {
  if (launch == kNoCall) return IdleCause::other;
  const Row& call = data.calls[launch];
  if (call.start <= since) return IdleCause::kernel;
  return waiting(data, waits, call.lane, since) ? IdleCause::synchronise : IdleCause::host;
}

Nanoseconds& time_of(IdleCauses& idle, IdleCause cause) {
  switch (cause) {
    case IdleCause::host:
      return idle.host;
    case IdleCause::kernel:
      return idle.kernel;
    case IdleCause::synchronise:
      return idle.synchronise;
    case IdleCause::other:
      return idle.other;
  }
  return idle.other;
}

/// The longest of each cause, longest first.
void keep_longest(std::vector<IdleGap>& gaps) {
  constexpr std::size_t most = 50;
  std::ranges::sort(gaps, {}, [](const IdleGap& gap) { return std::pair(-gap.length, gap.start); });
  std::array<std::size_t, 4> kept{};
  std::erase_if(gaps, [&](const IdleGap& gap) { return ++kept.at(static_cast<std::size_t>(gap.cause)) > most; });
}

}  // namespace

void fill_idle(const TraceData& data, const DeviceWork& work, std::span<const std::uint32_t> waits, bool gaps,
               DeviceFigures& out) {
  Nanoseconds busy_until = work.rows.front().start;
  for (std::size_t i = 0; i < work.rows.size(); ++i) {
    const Row& row = work.rows[i];
    if (row.start > busy_until) {
      const Nanoseconds gap = row.start - busy_until;
      const IdleCause cause = cause_of(data, work.call[i], waits, busy_until);
      ++out.idle.gaps;
      out.idle.longest = std::max(out.idle.longest, gap);
      time_of(out.idle, cause) += gap;
      if (gaps) out.gaps.push_back({busy_until, gap, cause});
    }
    busy_until = std::max(busy_until, row.end());
  }
  keep_longest(out.gaps);
}

}  // namespace tally::trace
