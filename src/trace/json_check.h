/// The strict, slow check of one object: the splitter's arbiter when something seems off.
///
/// Strict about structure (quotes, colons, braces, no two values side by side), lenient about what real exporters
/// write: bare words (NaN, N/A, Infinity), stray commas, control characters in strings, any bytes above 127. Nesting
/// beyond `kDeepest` is a fault.
#pragma once

#include <string_view>

namespace tally::trace {

inline constexpr int kDeepest = 512;

enum class Check {
  whole,   ///< `text` is exactly one object.
  prefix,  ///< `text` may be the beginning of one.
  fault    ///< No continuation makes it an object, or something follows the object.
};

Check check_object(std::string_view text);

/// Whether an event seems to begin at `text[at]`, whatever the strings before it say: a '{', blanks, a quoted key that
/// events have, and a colon, all within `kEventStartWindow` bytes. Real JSON text cannot have this inside a string,
/// since its quotes would be escaped.
bool looks_like_event(std::string_view text, std::size_t at);
inline constexpr std::size_t kEventStartWindow = 256;

}  // namespace tally::trace
