/// Counts the words of a text: what lies between blanks.
#pragma once

#include <cstddef>
#include <string_view>

namespace words {

std::size_t count(std::string_view text);

}  // namespace words
