/// What the recorder of allocations (host/sites/recorder.cc) writes of one region, into plain data. Never touches
/// files.
///
/// Lines: "allocations 1"; for each stack "site c|python COUNT BYTES", where Python code ran "python
/// LINE\tFUNCTION\tFILE", and for each frame, innermost first, "frame HEX PATH": where in which object, by the object's
/// own addresses; "lost N", requests that no place was left for; "end".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "profile/allocation_sites.h"

namespace tally {

struct AllocationTrace {
  struct Frame {
    std::uint64_t address = 0;
    std::string object;  ///< Path.
  };
  struct Site {
    AllocationSource source = AllocationSource::c;
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    PythonPlace python;
    std::vector<Frame> frames;
  };
  std::vector<Site> sites;
  std::uint64_t lost = 0;
};

/// An error (input): it is not whole.
Result<AllocationTrace> parse_allocation_trace(std::string_view text);

}  // namespace tally
