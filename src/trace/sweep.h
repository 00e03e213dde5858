/// Lengths of unions of time spans, by one pass over spans sorted by their start.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trace/trace_data.h"

namespace tally::trace {

/// The time that at least one span covers. Spans must come in order of their start.
class UnionLength {
 public:
  void add(Nanoseconds start, Nanoseconds end) {
    if (end <= end_) return;
    total_ += end - std::max(start, end_);
    end_ = end;
  }
  [[nodiscard]] Nanoseconds total() const { return total_; }
  [[nodiscard]] Nanoseconds end() const { return end_; }

 private:
  Nanoseconds end_ = -2 * kLatestTime;
  Nanoseconds total_ = 0;
};

/// How a window of time was spent. compute + exposed_communication + exposed_memory + idle is window, exactly.
struct Parts {
  std::uint64_t kernels = 0;        ///< Compute and communication kernels that touch the window.
  std::uint64_t memory_events = 0;  ///< Copies and fills that touch the window.
  Nanoseconds window = 0;
  Nanoseconds busy = 0;     ///< Union of all work.
  Nanoseconds compute = 0;  ///< Union of compute kernels; the next two likewise.
  Nanoseconds communication = 0;
  Nanoseconds memory = 0;
  Nanoseconds exposed_communication = 0;  ///< Communication while no compute ran.
  Nanoseconds exposed_memory = 0;         ///< Copies and fills while no kernel ran.
  Nanoseconds idle = 0;
  Nanoseconds kernel_time = 0;  ///< Sum of the kernels' durations in the window, overlaps counted twice.
};

class PartsSweep {
 public:
  /// Only the part within [from, to) counts. Rows must come in order of their start.
  void add(const Row& row, Nanoseconds from, Nanoseconds to) {
    const Nanoseconds start = std::max(row.start, from), end = std::min(row.end(), to);
    if (end < start) return;
    all_.add(start, end);
    const Work work = row.work();
    if (work == Work::copy || work == Work::fill) {
      ++parts_.memory_events;
      memory_.add(start, end);
      return;
    }
    ++parts_.kernels;
    parts_.kernel_time += end - start;
    kernels_.add(start, end);
    (work == Work::compute ? compute_ : communication_).add(start, end);
  }

  [[nodiscard]] Parts finish(Nanoseconds window) const {
    Parts p = parts_;
    p.window = window;
    p.busy = all_.total();
    p.compute = compute_.total();
    p.communication = communication_.total();
    p.memory = memory_.total();
    p.exposed_communication = kernels_.total() - p.compute;
    p.exposed_memory = p.busy - kernels_.total();
    p.idle = window - p.busy;
    return p;
  }

 private:
  Parts parts_;
  UnionLength all_, kernels_, compute_, communication_, memory_;
};

}  // namespace tally::trace
