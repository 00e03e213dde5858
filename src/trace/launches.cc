#include "trace/launches.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "trace/near_search.h"
#include "trace/sort_by_key.h"

namespace tally::trace {
namespace {

/// Quantiles of `values`, which are reordered. Empty for none.
std::optional<Distribution> distribution(std::span<Nanoseconds> values) {
  if (values.empty()) return std::nullopt;
  Distribution d;
  d.count = values.size();
  double sum = 0;
  for (const Nanoseconds v : values) sum += static_cast<double>(v);
  d.mean = sum / static_cast<double>(d.count);
  std::size_t sorted_to = 0;
  const auto quantile = [&](double q) {
    const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
    const std::size_t at = rank == 0 ? 0 : rank - 1;
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(at);
    std::nth_element(values.begin() + static_cast<std::ptrdiff_t>(sorted_to), place, values.end());
    sorted_to = at;
    return *place;
  };
  d.min = *std::ranges::min_element(values);
  d.max = *std::ranges::max_element(values);
  d.p50 = quantile(0.5);
  d.p90 = quantile(0.9);
  d.p99 = quantile(0.99);
  return d;
}

}  // namespace

Column<std::uint32_t> link_calls(TraceData& data) {
  sort_by_key(data.calls, [](const Row& call) { return call.correlation; });
  for (Row* same = data.calls.begin(); same != data.calls.end();) {
    Row* const next =
        std::find_if(same, data.calls.end(), [&](const Row& call) { return call.correlation != same->correlation; });
    const auto earlier = [](const Row& a, const Row& b) { return a.start < b.start; };
    if (!std::is_sorted(same, next, earlier)) std::sort(same, next, earlier);
    same = next;
  }
  Column<std::uint32_t> call;
  call.resize(data.work.size());
  std::ranges::fill(call.span(), kNoCall);
  if (data.calls.empty()) return call;
  std::size_t near = 0;
  for (std::size_t w = 0; w < data.work.size(); ++w) {
    const Row& work = data.work[w];
    if (work.correlation == 0) continue;
    // Ids come again when traces are joined: the last of its calls that does not begin after it, else the first.
    near = partition_near(std::as_const(data.calls).span(), near, [&](const Row& one) {
      return one.correlation != work.correlation ? one.correlation < work.correlation : one.start <= work.start;
    });
    if (near > 0 && data.calls[near - 1].correlation == work.correlation) {
      call[w] = static_cast<std::uint32_t>(near - 1);
    } else if (near < data.calls.size() && data.calls[near].correlation == work.correlation) {
      call[w] = static_cast<std::uint32_t>(near);
    }
  }
  return call;
}

namespace {

/// The first start and the launch of every linked call of this device, once per call: a graph's other work queues
/// nothing.
struct Launched {
  Column<Nanoseconds> latency;
  Column<Nanoseconds> launch;
};

std::optional<QueueLength> queue_length(Column<Nanoseconds>& launches, Column<Nanoseconds>& starts) {
  if (launches.empty()) return std::nullopt;
  // Work that began before its launch (clock skew) is queued for no time.
  for (Column<Nanoseconds>* times : {&launches, &starts}) {
    if (!std::is_sorted(times->begin(), times->end())) std::sort(times->begin(), times->end());
  }
  QueueLength q;
  std::size_t in = 0, out = 0;
  Nanoseconds now = launches[0];
  const Nanoseconds first = now;
  double area = 0, empty = 0;
  std::uint64_t length = 0;
  while (out < starts.size()) {
    const Nanoseconds next = in < launches.size() ? std::min(launches[in], starts[out]) : starts[out];
    area += static_cast<double>(length) * static_cast<double>(next - now);
    if (length == 0) empty += static_cast<double>(next - now);
    now = next;
    if (in < launches.size() && launches[in] <= now) {
      ++in;
      ++length;
      q.longest = std::max(q.longest, length);
    } else {
      ++out;
      --length;
    }
  }
  const auto span = static_cast<double>(now - first);
  q.mean = span > 0 ? area / span : 0;
  q.share_empty = span > 0 ? empty / span : 0;
  return q;
}

}  // namespace

void fill_launches(const TraceData& data, const DeviceWork& work, DeviceFigures& out) {
  Column<Nanoseconds> latency;
  std::vector<bool> seen(data.calls.size());
  std::size_t linked_calls = 0;
  for (std::size_t i = 0; i < work.rows.size(); ++i) {
    const std::uint32_t c = work.call[i];
    if (c == kNoCall) {
      ++out.unlinked;
      continue;
    }
    ++out.linked;
    const Row& call = data.calls[c];
    if (call.call() == CallKind::graph_launch) ++out.graph_work;
    if (seen[c]) continue;
    seen[c] = true;
    ++linked_calls;
    if (call.call() == CallKind::graph_launch) ++out.graph_launches;
    latency.push_back(work.rows[i].start - call.start);
  }
  out.launch_latency = distribution(latency.span());
  latency.release();
  if (linked_calls == 0) return;
  Column<Nanoseconds> launches, starts;
  seen.assign(seen.size(), false);
  for (std::size_t i = 0; i < work.rows.size(); ++i) {
    const std::uint32_t c = work.call[i];
    if (c == kNoCall || seen[c]) continue;
    seen[c] = true;
    launches.push_back(std::min(data.calls[c].start, work.rows[i].start));
    starts.push_back(work.rows[i].start);
  }
  out.queue = queue_length(launches, starts);
}

}  // namespace tally::trace
