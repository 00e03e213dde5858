/// Numbers as traces write them, without a double in between.
///
/// Times are decimal microseconds: "1689180448554.878", "12", "1.5e3". They become whole nanoseconds, rounded to the
/// nearest (halves away from zero) when the text has more than three decimals.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tally::trace {

using Nanoseconds = std::int64_t;

/// Beyond this a time is refused, so that the sum of a start and a duration cannot overflow: 146 years.
inline constexpr Nanoseconds kLatestTime = Nanoseconds{1} << 62;

/// Empty when `text` is not one JSON-like number (a leading '+' and leading zeros are let through), or out of range.
std::optional<Nanoseconds> nanoseconds(std::string_view text);

/// A whole number without sign: "17"; "17.0" counts as whole. Empty for everything else.
std::optional<std::uint64_t> whole_number(std::string_view text);

/// For estimates only: occupancy and the like. Empty for what is no finite number.
std::optional<double> real_number(std::string_view text);

}  // namespace tally::trace
