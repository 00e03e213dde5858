/// How the reading of one file went: what there was, and what could not be used.
#pragma once

#include <cstdint>
#include <string>

namespace tally::trace {

struct Reasons {                ///< Why events that matter were not used.
  std::uint64_t malformed = 0;  ///< Their text is not JSON, or device work lacks its phase or category.
  std::uint64_t no_time = 0;    ///< No usable start or duration.
  std::uint64_t no_room = 0;    ///< More than 255 devices or 65,535 streams or threads.
  [[nodiscard]] std::uint64_t total() const { return malformed + no_time + no_room; }
};

struct FileReading {
  std::uint64_t bytes = 0;   ///< Of JSON text, after inflating.
  std::uint64_t events = 0;  ///< Objects in the events array.
  std::uint64_t pieces_dropped = 0, bytes_dropped = 0, stray_bytes = 0;
  bool truncated = false;
  std::string input_fault;  ///< Why reading ended early (a broken gzip stream), or empty.
  Reasons refused;
  std::uint64_t other_device_events = 0;
  std::uint64_t work_without_duration = 0;  ///< Counted as work of 0 ns.
  std::uint64_t objects_after_end = 0;      ///< Behind the document's end: not read.
  std::uint64_t names_overflowed = 0;       ///< Kernels whose names the table had no room for.
  int rank = -1;                            ///< distributedInfo.rank, or -1.
};

}  // namespace tally::trace
