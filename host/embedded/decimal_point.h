/// Numbers as everybody reads them, whatever the locale of the program is that writes them.
#pragma once

#include <string>
#include <string_view>

namespace tally::embedded {

/// One number that printf has written: with a point where its locale has something else, which may be several bytes.
inline std::string with_point(std::string_view number) {
  const auto is_its_own = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '+' || c == '-';
  };
  std::string text;
  for (const char c : number) {
    if (is_its_own(c)) {
      text += c;
    } else if (text.empty() || text.back() != '.') {
      text += '.';
    }
  }
  return text;
}

}  // namespace tally::embedded
