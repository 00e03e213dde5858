/// Small text helpers that more than one layer needs. Nothing here knows what the text means.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tally {

std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string_view trim(std::string_view text);
std::string_view first_line(std::string_view text);
std::string_view last_line(std::string_view text);

/// The candidate closest to `word` by edit distance, or "" when none is closer than half of the word.
std::string nearest(std::string_view word, std::span<const std::string_view> candidates);

/// Shell-style match of a whole text: `*`, `?` and `[abc]`; case-sensitive. A '[' without its ']' matches itself.
bool glob_match(std::string_view pattern, std::string_view text);

/// `text` with every `from` replaced by `to`. `from` must not be empty.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

/// The text between single quotes as a POSIX shell reads it, or as it is when it needs no quotes.
std::string shell_quote(std::string_view text);

}  // namespace tally
