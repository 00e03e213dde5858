/// What a dump of the counter's with calls has besides what it followed (host/counter/calls.h). Needs no C library.
#pragma once

namespace tally::protocol {

/// A function without instructions, which calls those that a region began in and those that they returned to: so that
/// these have an inclusive cost, although nobody saw them called.
inline constexpr char kOutside[] = "(outside)";

}  // namespace tally::protocol
