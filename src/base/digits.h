/// Decimal digits eight at a time: a loop over a number's digits ends in a branch that no processor foresees.
///
/// In a word of them the first stands in the lowest byte (base/short_text.h); shifting a word left puts zeros before
/// its digits, so that fewer than eight are read the same way.
#pragma once

#include <bit>
#include <cstdint>

namespace tally {

/// Characters as the values that they have as digits.
constexpr std::uint64_t digit_values(std::uint64_t characters) { return characters ^ 0x3030'3030'3030'3030; }

/// How many of the eight are digits, up to the first that is none.
constexpr int leading_digits(std::uint64_t values) {
  const std::uint64_t others = (values | (values + 0x7676'7676'7676'7676)) & 0x8080'8080'8080'8080;
  return std::countr_zero(others) / 8;
}

/// The number that eight digits are. Three steps that each join neighbours: digits to pairs, pairs to fours, fours to
/// the whole.
constexpr std::uint64_t joined_digits(std::uint64_t values) {
  constexpr std::uint64_t fours = 0x0000'00FF'0000'00FF;
  values = values * 10 + (values >> 8);
  return ((values & fours) * 0x000F'4240'0000'0064 + (values >> 16 & fours) * 0x0000'2710'0000'0001) >> 32;
}

}  // namespace tally
