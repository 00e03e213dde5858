/// Finds what cannot be true in a device's work, or is hard to believe: reported beside the figures, which stay as the
/// file has them.
///
/// Owns: the two checks that a trace allows of itself. Work of one stream runs one piece after the other, so a piece
/// that lies within an earlier one of its stream shows that a duration or a start is wrong. And a stretch in which
/// nothing ran, far longer than all work around it, shows a stamp that was lost.
/// Never judges work of a CUDA graph, whose branches may run at once under one stream's number.
///
/// Measured on the real traces of our tests: neighbours in one stream overlap by up to 3.8 µs (kernels that are
/// launched before their predecessor's end), and no piece lies within another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/device_work.h"
#include "trace/trace_data.h"

namespace tally::trace {

/// A piece of work that others of its stream begin and end within.
struct CoveringWork {
  std::string stream, name;
  Nanoseconds start = 0, duration = 0;
  std::uint64_t covered = 0;  ///< Pieces within it.
};

/// A stretch without work that parts a device's work in two.
struct FarApart {
  Nanoseconds from = 0, until = 0;      ///< The stretch.
  std::uint64_t before = 0, after = 0;  ///< Pieces of work on either side.
  std::string name;                     ///< The piece next to it on the side that has fewer.
};

struct Doubts {
  std::vector<CoveringWork> covering;  ///< One of each stream that has any, the longest; in order of the streams.
  std::optional<FarApart> far_apart;   ///< The longest stretch, where it is hard to believe.

  [[nodiscard]] bool any() const { return !covering.empty() || far_apart.has_value(); }
};

Doubts find_doubts(const TraceData& data, const DeviceWork& work);

}  // namespace tally::trace
