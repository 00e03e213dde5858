/// Decimal digits eight at a time: a loop over a number's digits ends in a branch that no processor foresees.
///
/// The first digit stands in the lowest byte, whatever the processor's order of bytes; shifting a word left puts zeros
/// before its digits, so that fewer than eight are read the same way.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace tally {

/// The eight bytes at `text`, digits among them as their values.
inline std::uint64_t digit_values(const char* text) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text, 8);
  if constexpr (std::endian::native == std::endian::big) bytes = std::byteswap(bytes);
  return bytes ^ 0x3030'3030'3030'3030;
}

/// Whether all eight are digits.
inline bool all_digits(std::uint64_t values) {
  return ((values | (values + 0x7676'7676'7676'7676)) & 0x8080'8080'8080'8080) == 0;
}

/// The number that eight digits are. Three steps that each join neighbours: digits to pairs, pairs to fours, fours to
/// the whole.
inline std::uint64_t joined_digits(std::uint64_t values) {
  constexpr std::uint64_t fours = 0x0000'00FF'0000'00FF;
  values = values * 10 + (values >> 8);
  return ((values & fours) * 0x000F'4240'0000'0064 + (values >> 16 & fours) * 0x0000'2710'0000'0001) >> 32;
}

}  // namespace tally
