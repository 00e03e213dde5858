#include "trace/timeline.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "trace/device_work.h"
#include "trace/labels.h"

namespace tally::trace {
namespace {

enum class Source : unsigned char { work, op, call };

/// An event before it has its place, by its index in what it is of.
struct Found {
  std::uint32_t row = 0;
  Source source = Source::work;
  std::uint32_t index = 0;
};

/// What is drawn of one.
struct Drawn {
  Nanoseconds start = 0;
  Nanoseconds duration = 0;
  std::uint32_t name = 0;  ///< In its own table.
  EventKind kind = EventKind::op;
};

/// What a timeline is made of.
struct Pieces {
  const TraceData& data;
  std::span<const OperatorSpan> operators;
};

Drawn drawn(const Pieces& pieces, const Found& found) {
  const TraceData& data = pieces.data;
  if (found.source == Source::op) {
    const OperatorSpan& op = pieces.operators[found.index];
    return {.start = op.start, .duration = op.end - op.start, .name = op.name, .kind = EventKind::op};
  }
  const bool is_call = found.source == Source::call;
  const Row& row = is_call ? data.calls[found.index] : data.work[found.index];
  const EventKind kind = !is_call                              ? static_cast<EventKind>(row.kind)
                         : row.call() == CallKind::synchronise ? EventKind::synchronise
                         : row.call() == CallKind::other       ? EventKind::call
                                                               : EventKind::launch;
  return {.start = row.start, .duration = static_cast<Nanoseconds>(row.duration), .name = row.name, .kind = kind};
}

/// Numbers the rows that anything is in: streams by device and label, then threads.
class Rows {
 public:
  explicit Rows(const Pieces& pieces) {
    const TraceData& data = pieces.data;
    std::map<Place, TimelineRow> found;
    for (const Row& row : data.work) {
      found[{Source::work, static_cast<std::uint32_t>(row.device), static_cast<std::uint32_t>(row.lane)}] = {
          .device = data.devices[row.device].label, .label = data.streams[row.lane].label};
    }
    const auto thread = [&](std::uint32_t lane) {
      return lane < data.threads.size() ? data.threads.text(lane) : std::string();
    };
    for (const Row& row : data.calls) {
      const auto lane = static_cast<std::uint32_t>(row.lane);
      found[{Source::call, 0, lane}].label = thread(lane);
    }
    for (const OperatorSpan& op : pieces.operators) {
      if (!found.contains({Source::call, 0, op.thread})) continue;
      found[{Source::op, 0, op.thread}] = {.device = {}, .label = thread(op.thread), .operators = true};
    }
    std::vector<std::pair<Place, TimelineRow>> sorted(found.begin(), found.end());
    std::ranges::sort(sorted, [](const auto& x, const auto& y) {
      const auto& [a, one] = x;
      const auto& [b, other] = y;
      const bool is_work = a.source == Source::work;
      if (is_work != (b.source == Source::work)) return is_work;
      if (one.device != other.device) return label_before(one.device, other.device);
      if (!is_work && a.lane == b.lane) return a.source < b.source;
      return one.label != other.label ? label_before(one.label, other.label) : a < b;
    });
    for (auto& [place, row] : sorted) {
      numbers_[place] = static_cast<std::uint32_t>(rows.size());
      rows.push_back(std::move(row));
    }
  }
  /// Nothing for operators of a thread that launches nothing.
  [[nodiscard]] std::optional<std::uint32_t> of(Source source, std::uint32_t device, std::uint32_t lane) const {
    const auto found = numbers_.find({source, device, lane});
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<TimelineRow> rows;

 private:
  struct Place {
    Source source = Source::work;
    std::uint32_t device = 0;  ///< Of work.
    std::uint32_t lane = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  std::map<Place, std::uint32_t> numbers_;
};

/// Work's names first, then calls' and operators', then one for those that there was no room for.
std::vector<std::string> names_of(const TraceData& data) {
  std::vector<std::string> names;
  for (const TextTable* table : {&data.names, &data.call_names, data.operators ? &data.operators->names : nullptr})
    for (std::uint32_t i = 0; table != nullptr && i < table->size(); ++i) names.push_back(table->text(i));
  names.emplace_back("(another)");
  return names;
}

/// Every event that has a row.
std::vector<Found> all_events(const Pieces& pieces, const Rows& rows) {
  const TraceData& data = pieces.data;
  std::vector<Found> found;
  found.reserve(data.work.size() + data.calls.size() + pieces.operators.size());
  const auto add = [&](Source source, std::uint32_t device, std::uint32_t lane, std::size_t index) {
    if (const auto row = rows.of(source, device, lane))
      found.push_back({*row, source, static_cast<std::uint32_t>(index)});
  };
  for (std::size_t i = 0; i < data.work.size(); ++i)
    add(Source::work, static_cast<std::uint32_t>(data.work[i].device), static_cast<std::uint32_t>(data.work[i].lane),
        i);
  for (std::size_t i = 0; i < data.calls.size(); ++i)
    add(Source::call, 0, static_cast<std::uint32_t>(data.calls[i].lane), i);
  for (std::size_t i = 0; i < pieces.operators.size(); ++i) add(Source::op, 0, pieces.operators[i].thread, i);
  return found;
}

}  // namespace

Timeline make_timeline(const TraceData& data, std::span<const std::uint32_t> calls,
                       std::span<const OperatorSpan> operators, std::size_t most) {
  const Pieces pieces{data, operators};
  Rows rows(pieces);
  std::vector<Found> found = all_events(pieces, rows);

  Timeline timeline;
  if (found.size() > most) {
    // Operators go first: they are no part of how busy anything is.
    const auto longer = [&](const Found& a, const Found& b) {
      const auto rank = [&](const Found& one) {
        return std::tuple(one.source == Source::op, -drawn(pieces, one).duration, one.source, one.index);
      };
      return rank(a) < rank(b);
    };
    std::ranges::nth_element(found, found.begin() + static_cast<std::ptrdiff_t>(most), longer);
    timeline.left_out = found.size() - most;
    for (std::size_t i = most; i < found.size(); ++i) timeline.left_out_time += drawn(pieces, found[i]).duration;
    found.resize(most);
  }
  // Of two that begin at once the longer one is around the other.
  std::ranges::sort(found, {}, [&](const Found& one) {
    const Drawn event = drawn(pieces, one);
    return std::tuple(one.row, event.start, -event.duration, one.index);
  });

  timeline.rows = std::move(rows.rows);
  timeline.names = names_of(data);
  const auto another = static_cast<std::uint32_t>(timeline.names.size() - 1);
  const auto first_name = [&](Source source) {
    return source == Source::work   ? 0U
           : source == Source::call ? data.names.size()
                                    : data.names.size() + data.call_names.size();
  };
  std::vector<std::uint32_t> place_of_call(data.calls.size(), Timeline::kNoLaunch);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Drawn event = drawn(pieces, found[i]);
    TimelineRow& in = timeline.rows[found[i].row];
    if (in.count++ == 0) in.first = i;
    if (found[i].source == Source::call) place_of_call[found[i].index] = static_cast<std::uint32_t>(i);
    timeline.start.push_back(event.start);
    timeline.duration.push_back(event.duration);
    timeline.kind.push_back(event.kind);
    timeline.name.push_back(event.name == kOtherName ? another : event.name + first_name(found[i].source));
  }
  for (const Found& one : found) {
    const std::uint32_t call = one.source == Source::work ? calls[one.index] : kNoCall;
    timeline.launch.push_back(call == kNoCall ? Timeline::kNoLaunch : place_of_call[call]);
  }
  return timeline;
}

}  // namespace tally::trace
