#include "base/readable_id.h"

#include <charconv>

namespace tally {

std::string readable_id(std::string_view id) {
  std::string text;
  for (std::size_t i = 0; i < id.size(); ++i) {
    unsigned byte = 0;
    const std::string_view digits = id.substr(i + 1, 2);
    if (id[i] == '%' && digits.size() == 2 &&
        std::from_chars(digits.begin(), digits.end(), byte, 16).ptr == digits.end() && byte >= 32 && byte < 127) {
      text += static_cast<char>(byte);
      i += 2;
    } else {
      text += id[i];
    }
  }
  return text;
}

}  // namespace tally
