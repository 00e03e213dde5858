/// The data that a page draws of a trace: each piece of device work, each runtime call and each outermost operator, in
/// a row of its stream or thread.
///
/// Owns: plain columns, by row and then by start. Times are nanoseconds of the trace's own clock.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/trace_data.h"

namespace tally::trace {

struct TimelineRow {
  std::string device;      ///< Its label; empty for a thread of the host.
  std::string label;       ///< Of the stream or the thread.
  bool operators = false;  ///< A thread's operators; its runtime calls have the row after it.
  std::size_t first = 0;
  std::size_t count = 0;
};

/// What an event is; the first four are enum Work.
enum class EventKind : unsigned char { compute, communication, copy, fill, launch, synchronise, call, op };

struct Timeline {
  static constexpr std::uint32_t kNoLaunch = 0xFFFF'FFFF;

  std::vector<TimelineRow> rows;  ///< Streams by device, then threads. Operators of threads that launch, only.
  std::vector<std::string> names;
  // One for each event.
  std::vector<Nanoseconds> start;
  std::vector<Nanoseconds> duration;
  std::vector<std::uint32_t> name;
  std::vector<EventKind> kind;
  std::vector<std::uint32_t> launch;  ///< Of work: the event of the call that launched it.

  std::uint64_t left_out = 0;     ///< Events that there was no room for: the shortest.
  Nanoseconds left_out_time = 0;  ///< Their durations together.
};

/// Of rows that analyse() has sorted and linked: `calls` is as long as data.work, `operators` are the
/// outermost of their threads. At most `most` events, the longest;
/// operators are left out first.
Timeline make_timeline(const TraceData& data, std::span<const std::uint32_t> calls,
                       std::span<const OperatorSpan> operators, std::size_t most);

}  // namespace tally::trace
