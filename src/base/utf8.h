/// Letters of UTF-8 text, and where it may be cut. Nothing here knows how wide a letter is shown.
#pragma once

#include <cstddef>
#include <string_view>

namespace tally {

struct Letter {
  char32_t code = 0xfffd;
  std::size_t bytes = 1;
  bool valid = false;  ///< Otherwise one byte that is not UTF-8 (nor half of a pair, nor longer than need be).
};

/// The letter at the beginning of a text, which must not be empty.
Letter first_letter(std::string_view text);

/// Whether a byte belongs to a letter that began before it.
constexpr bool continues_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

/// The beginning of a text, of at most `most` bytes, that ends with a whole letter.
std::string_view cut_to_bytes(std::string_view text, std::size_t most);

}  // namespace tally
