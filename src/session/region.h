/// The result of a region that a case child has executed once, and those that a probe has requested.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "profile/callgrind.h"
#include "protocol/followed_calls.h"

namespace tally {

struct Probe;

struct RegionCounted {
  int status = 0;    ///< A wait status: of the process that executed it.
  bool own = false;  ///< By the case child itself, not by a fork of it.
  std::uint64_t iterations = 1;
  std::uint64_t allocations = 0;
  std::uint64_t allocated_bytes = 0;
  std::uint64_t pauses = 0;         ///< How often counting was paused within the region.
  std::uint64_t one_execution = 0;  ///< Instructions, by which the number was chosen; 0: it was not chosen so.
  int thread = 0;                   ///< The one that was counted alone, from 1; 0: all were.
  protocol::Followed followed = protocol::Followed::nothing;  ///< What the dump has besides functions.
  std::optional<Result<Totals>> totals;                       ///< Where instructions are counted.
  std::string dump;                                           ///< The text that they are from.
  std::string left;  ///< The text of the file that a probe's observer left of it.
};

/// Why its totals cannot be used; nothing: they can.
inline std::optional<std::string> why_unusable(const RegionCounted& region) {
  if (region.totals && *region.totals) return std::nullopt;
  return "Callgrind left no usable counts: " + (region.totals ? describe(region.totals->error()) : "no dump");
}

/// Whatever a probe has requested, in that order.
struct ProbeSample {
  const Probe* probe = nullptr;
  std::vector<RegionCounted> baseline;  ///< Of the empty loop.
  std::vector<RegionCounted> lead;      ///< To be subtracted from the statement's, where the host has one.
  std::vector<RegionCounted> statement;
};

}  // namespace tally
