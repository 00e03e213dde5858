/// What the counter can follow in a region besides its functions' instructions, and what the dump has of it. Needs no C
/// library.
#pragma once

namespace tally::protocol {

/// Travels as a number.
enum class Followed : unsigned {
  nothing,
  calls,         ///< Who calls whom, and what that costs (host/counter/calls.h).
  instructions,  ///< What each instruction costs, and which functions it calls (host/counter/call_sites.h).
  python_calls,  ///< As calls; Python's functions are separated by their callers (protocol/python_contexts.h).
};

/// Where calls are followed: a function without instructions, which calls those that a region began in and those that
/// they returned to: so that these have an inclusive cost, although nobody saw them called.
inline constexpr char kOutside[] = "(outside)";

}  // namespace tally::protocol
