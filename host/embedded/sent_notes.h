/// What a benchmark reports, on its way from a process that measures nothing to the case's own.
#pragma once

#include <cstdint>

#include "call.h"

namespace tally::embedded {

struct SentNotes {
  std::uint64_t done;      ///< Executions of the call.
  std::uint64_t left_out;  ///< Counters that have no room.
  char label[4096];        ///< Cut off where it is longer.
  char counters[60'000];   ///< Of each: flags, the value's bits, name, which ends with a null; then an empty one.
};

SentNotes sent(const detail::Notes& notes, std::uint64_t done);
/// The label says how many counters were left out.
detail::Notes received(const SentNotes& sent);

}  // namespace tally::embedded
