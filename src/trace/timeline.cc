#include "trace/timeline.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "trace/analysis.h"

namespace tally::trace {
namespace {

/// An event before it has its place: of work or a call, by its index there.
struct Found {
  std::uint32_t row = 0;
  bool is_call = false;
  std::uint32_t index = 0;
};

const Row& row_of(const TraceData& data, const Found& found) {
  return found.is_call ? data.calls[found.index] : data.work[found.index];
}

EventKind kind_of(const Row& row, bool is_call) {
  if (!is_call) return static_cast<EventKind>(row.kind);
  return row.call() == CallKind::synchronise ? EventKind::synchronise
         : row.call() == CallKind::other     ? EventKind::call
                                             : EventKind::launch;
}

/// Numbers the rows that anything is in: streams by device and label, then threads.
class Rows {
 public:
  explicit Rows(const TraceData& data) {
    std::map<Place, TimelineRow> found;
    for (const Row& row : data.work)
      found[place_of(row, false)] = {.device = data.devices[row.device].label, .label = data.streams[row.lane].label};
    for (const Row& row : data.calls)
      found[place_of(row, true)].label = row.lane < data.threads.size() ? data.threads.text(row.lane) : "";
    std::vector<std::pair<Place, TimelineRow>> sorted(found.begin(), found.end());
    std::ranges::sort(sorted, [](const auto& x, const auto& y) {
      const auto& [a, one] = x;
      const auto& [b, other] = y;
      if (a.host != b.host) return b.host;
      if (one.device != other.device) return label_before(one.device, other.device);
      return one.label != other.label ? label_before(one.label, other.label) : a < b;
    });
    for (auto& [place, row] : sorted) {
      numbers_[place] = static_cast<std::uint32_t>(rows.size());
      rows.push_back(std::move(row));
    }
  }
  [[nodiscard]] std::uint32_t of(const Row& row, bool is_call) const { return numbers_.at(place_of(row, is_call)); }
  std::vector<TimelineRow> rows;

 private:
  struct Place {
    bool host = false;
    std::uint32_t device = 0;
    std::uint32_t lane = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  static Place place_of(const Row& row, bool is_call) {
    return {is_call, is_call ? 0 : static_cast<std::uint32_t>(row.device), static_cast<std::uint32_t>(row.lane)};
  }
  std::map<Place, std::uint32_t> numbers_;
};

/// Work's names first, then calls', then one for those that there was no room for.
std::vector<std::string> names_of(const TraceData& data) {
  std::vector<std::string> names;
  names.reserve(std::size_t{data.names.size()} + data.call_names.size() + 1);
  for (std::uint32_t i = 0; i < data.names.size(); ++i) names.push_back(data.names.text(i));
  for (std::uint32_t i = 0; i < data.call_names.size(); ++i) names.push_back(data.call_names.text(i));
  names.emplace_back("(another)");
  return names;
}

}  // namespace

Timeline make_timeline(const TraceData& data, std::span<const std::uint32_t> calls, std::size_t most) {
  Rows rows(data);
  std::vector<Found> found;
  found.reserve(data.work.size() + data.calls.size());
  for (std::uint32_t i = 0; i < data.work.size(); ++i) found.push_back({rows.of(data.work[i], false), false, i});
  for (std::uint32_t i = 0; i < data.calls.size(); ++i) found.push_back({rows.of(data.calls[i], true), true, i});

  Timeline timeline;
  if (found.size() > most) {
    const auto longer = [&](const Found& a, const Found& b) {
      const Row &x = row_of(data, a), &y = row_of(data, b);
      return x.duration != y.duration ? x.duration > y.duration
                                      : std::tuple(a.is_call, a.index) < std::tuple(b.is_call, b.index);
    };
    std::ranges::nth_element(found, found.begin() + static_cast<std::ptrdiff_t>(most), longer);
    timeline.left_out = found.size() - most;
    for (std::size_t i = most; i < found.size(); ++i)
      timeline.left_out_time += static_cast<Nanoseconds>(row_of(data, found[i]).duration);
    found.resize(most);
  }
  // Of two that begin at once the longer one is around the other.
  std::ranges::sort(found, {}, [&](const Found& one) {
    const Row& row = row_of(data, one);
    return std::tuple(one.row, row.start, -static_cast<Nanoseconds>(row.duration), one.index);
  });

  timeline.rows = std::move(rows.rows);
  timeline.names = names_of(data);
  const auto another = static_cast<std::uint32_t>(timeline.names.size() - 1);
  std::vector<std::uint32_t> place_of_call(data.calls.size(), Timeline::no_launch);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Row& row = row_of(data, found[i]);
    TimelineRow& in = timeline.rows[found[i].row];
    if (in.count++ == 0) in.first = i;
    if (found[i].is_call) place_of_call[found[i].index] = static_cast<std::uint32_t>(i);
    timeline.start.push_back(row.start);
    timeline.duration.push_back(static_cast<Nanoseconds>(row.duration));
    timeline.kind.push_back(kind_of(row, found[i].is_call));
    timeline.name.push_back(row.name == other_name ? another : row.name + (found[i].is_call ? data.names.size() : 0U));
  }
  for (const Found& one : found) {
    const std::uint32_t call = one.is_call ? no_call : calls[one.index];
    timeline.launch.push_back(call == no_call ? Timeline::no_launch : place_of_call[call]);
  }
  return timeline;
}

}  // namespace tally::trace
