/// Reads and compares texts of a few bytes as words, without a call of the library: most values in a trace or a profile
/// are that short. Never looks beyond the text.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tally {

/// The bytes at `at`, the first one lowest, whatever the processor's order.
template <typename Word = std::uint64_t>
[[gnu::always_inline]] inline std::uint64_t load_word(const char* at) {
  Word word = 0;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
  return word;
}

/// The bytes of a text of at most eight, zeros after them.
[[gnu::always_inline]] inline std::uint64_t short_word(std::string_view text) {
  const char* const at = text.data();
  const std::size_t size = text.size();
  if (size == 8) return load_word(at);
  // What is loaded twice is in the same place twice.
  if (size >= 4) return load_word<std::uint32_t>(at) | load_word<std::uint32_t>(at + size - 4) << 8 * (size - 4);
  if (size == 0) return 0;
  return load_word<std::uint8_t>(at) | load_word<std::uint8_t>(at + size / 2) << 8 * (size / 2) |
         load_word<std::uint8_t>(at + size - 1) << 8 * (size - 1);
}

[[gnu::always_inline]] inline bool same_text(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  if (size <= 8) return short_word(a) == short_word(b);
  const char* const one = a.data();
  const char* const other = b.data();
  if (size > 16) return std::memcmp(one, other, size) == 0;
  return load_word(one) == load_word(other) && load_word(one + size - 8) == load_word(other + size - 8);
}

}  // namespace tally
