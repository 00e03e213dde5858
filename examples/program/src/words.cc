#include "words.h"

namespace words {

std::size_t count(std::string_view text) {
  std::size_t found = 0;
  bool inside = false;
  for (const char c : text) {
    const bool blank = c == ' ';
    if (!blank && !inside) ++found;
    inside = !blank;
  }
  return found;
}

}  // namespace words
