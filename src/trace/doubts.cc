#include "trace/doubts.h"

#include <algorithm>

#include "trace/labels.h"

namespace tally::trace {
namespace {

constexpr Nanoseconds kRounding = 1;  ///< Stamps in microseconds with three decimals are rounded on either side.
constexpr Nanoseconds kSecond = 1'000'000'000;
constexpr Nanoseconds kSurelyFar = 3600 * kSecond;  ///< No profiler records an idle hour.
constexpr Nanoseconds kMaybeFar = 60 * kSecond;
constexpr Nanoseconds kFarRatio = 1000;  ///< Times all the rest of the window.
constexpr std::size_t kFew = 100;        ///< One side has at most a piece, or one in so many.

bool is_of_graph(const TraceData& data, const DeviceWork& work, std::size_t i) {
  return work.call[i] != kNoCall && data.calls[work.call[i]].call() == CallKind::graph_launch;
}

std::string name_of(const TraceData& data, const Row& row) {
  return row.name == kOtherName ? "(another)" : data.names.text(row.name);
}

/// One stream on the way: its piece that ends last so far, and the worst that it had.
struct OneStream {
  const Row* last = nullptr;
  std::uint64_t covered = 0;  ///< Pieces within `last`.
  const Row* worst = nullptr;
  std::uint64_t covered_by_worst = 0;

  void take(const Row& row) {
    if (last != nullptr && row.end() <= last->end()) {
      if (row.duration > 0 && row.start < last->end() - kRounding) ++covered;
      return;
    }
    close();
    last = &row;
  }
  void close() {
    if (covered > 0 && (worst == nullptr || last->duration > worst->duration)) {
      worst = last;
      covered_by_worst = covered;
    }
    covered = 0;
  }
};

std::vector<CoveringWork> covering_work(const TraceData& data, const DeviceWork& work) {
  std::vector<OneStream> streams(data.streams.size());
  for (std::size_t i = 0; i < work.rows.size(); ++i)
    if (!is_of_graph(data, work, i)) streams[work.rows[i].lane].take(work.rows[i]);
  std::vector<CoveringWork> found;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    streams[i].close();
    const Row* const worst = streams[i].worst;
    if (worst == nullptr) continue;
    found.push_back({.stream = data.streams[i].label,
                     .name = name_of(data, *worst),
                     .start = worst->start,
                     .duration = static_cast<Nanoseconds>(worst->duration),
                     .covered = streams[i].covered_by_worst});
  }
  std::ranges::sort(found, [](const auto& a, const auto& b) { return label_before(a.stream, b.stream); });
  return found;
}

std::optional<FarApart> far_apart(const TraceData& data, std::span<const Row> rows) {
  if (rows.empty()) return std::nullopt;
  FarApart longest;
  Nanoseconds end = rows.front().end();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].start - end > longest.until - longest.from)
      longest = {.from = end, .until = rows[i].start, .before = i, .after = rows.size() - i};
    end = std::max(end, rows[i].end());
  }
  if (longest.before == 0) return std::nullopt;
  const Nanoseconds length = longest.until - longest.from;
  const Nanoseconds rest = end - rows.front().start - length;
  const std::uint64_t side = std::min(longest.before, longest.after);
  const bool lone = side <= 1 || side * kFew <= rows.size();
  const bool before_is_lone = longest.before <= longest.after;
  longest.name = name_of(data, rows[before_is_lone ? longest.before - 1 : longest.before]);
  const bool far = length >= kSurelyFar || (lone && length >= kMaybeFar && length / kFarRatio >= rest);
  return far ? std::optional(longest) : std::nullopt;
}

}  // namespace

Doubts find_doubts(const TraceData& data, const DeviceWork& work) {
  return {.covering = covering_work(data, work), .far_apart = far_apart(data, work.rows)};
}

}  // namespace tally::trace
