/// Stage one of reading a trace: where the braces are that stand outside strings.
///
/// Owns: the implementations of one pass over bytes, one an instruction set; they give the same answer to the bit.
/// Knows strings and escapes, nothing else of JSON. Never looks beyond `size`.
///
/// Method: 64 bytes at a time become bit masks; the string mask is the running parity of unescaped quotes, which a
/// carry-less multiplication by all ones computes at once (the idea is simdjson's, arXiv:1902.08318).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tally::trace {

/// What one call leaves for the next. A fresh one starts outside any string.
struct BraceState {
  std::uint64_t in_string = 0;  ///< All ones inside a string.
  bool escaped = false;         ///< The next byte follows an active backslash.
  bool open_in_string = false;  ///< The last byte was a '{' inside a string.

  bool operator==(const BraceState&) const = default;
};

/// Set on the position of a '{' inside a string that is followed by a quote, a blank or a control byte. No name that
/// was ever seen has one, but every event that a broken string swallows begins so: the splitter takes a closer look.
inline constexpr std::uint32_t kBraceInString = 0x8000'0000U;

/// Appends to `out` the position (in `data`) of every '{' and '}' outside strings in data[from, to), and of marked ones
/// inside; returns how many. `out` must have room for to - from + 8. A marked position may be from - 1.
/// Positions must stay below 2^31.
using IndexBraces = std::size_t (*)(const char* data, std::size_t from, std::size_t to, BraceState& state,
                                    std::uint32_t* out);

/// Those that this processor can run, the fastest first; the last needs no special instructions.
std::vector<IndexBraces> usable_index_braces();

}  // namespace tally::trace
