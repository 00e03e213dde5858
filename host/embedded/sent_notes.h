/// What a benchmark reports, on its way from a process that measures nothing to the case's own.
#pragma once

#include <climits>
#include <cstdint>

#include "call.h"

namespace tally::embedded {

/// As many bytes as a pipe takes at once.
struct SentNotes {
  std::uint64_t done;   ///< Executions of the call.
  char label[512];      ///< Cut off where it is longer.
  char counters[3500];  ///< A line for each: flags, the value's bits, name. Those that have no room are left out.
};
static_assert(sizeof(SentNotes) <= PIPE_BUF);

SentNotes sent(const detail::Notes& notes, std::uint64_t done);
detail::Notes received(const SentNotes& sent);

}  // namespace tally::embedded
