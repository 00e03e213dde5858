/// The lexical facts of Python and C++ that definitions need: where strings and comments are, whether a bracket stays
/// open, whether a name is defined. Never parses either language.
#pragma once

#include <string>
#include <string_view>

#include "definition/language.h"

namespace tally {

/// The same text with the inside of strings and comments replaced by blanks, byte for byte; newlines stay.
std::string blank_strings_and_comments(std::string_view text, Language language);

/// Whether the text ends within brackets, or within a string or comment that may have several lines.
bool leaves_open(std::string_view text, Language language);

/// The offset of the first bracket that closes what the text has not opened; npos where there is none. A text with
/// preprocessor lines may close a bracket in each of several branches: such a one is not reported.
std::size_t closes_too_much(std::string_view text, Language language);

/// Whether the text seems to define `name`: an assignment, a declaration, a function or a class of that name.
bool defines(std::string_view text, std::string_view name, Language language);

/// Whether the text holds nothing but blanks and comments.
bool only_comments(std::string_view text, Language language);

/// A word of ASCII letters, digits and underscores that does not begin with a digit, whatever the locale.
bool is_identifier(std::string_view word);

}  // namespace tally
