#include "definition/toml_guard.h"

#include <algorithm>

#include "base/utf8.h"

namespace tally {
namespace {

constexpr char32_t kFirst = 0xA0;
constexpr char32_t kLast = 0xFEFF;
constexpr char32_t kPlane = 0x40000;  // Planes 4 to 13 hold no character.

void append(std::string& text, char32_t code) {
  const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x800) {
    text += static_cast<char>(0xC0U | (code >> 6U));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0U | (code >> 12U));
    tail(6);
  } else {
    text += static_cast<char>(0xF0U | (code >> 18U));
    tail(12);
    tail(6);
  }
  tail(0);
}

bool is_shield(char32_t code) { return code >= kPlane + kFirst && code <= kPlane + kLast; }

}  // namespace

std::optional<std::string> shield(std::string_view bytes) {
  std::string result;
  result.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size();) {
    const Letter letter = first_letter(bytes.substr(i));
    if (is_shield(letter.code)) return std::nullopt;
    const bool order_mark = i == 0 && letter.code == kLast;
    if (letter.code >= kFirst && letter.code <= kLast && !order_mark) {
      append(result, letter.code + kPlane);
    } else {
      result += bytes.substr(i, letter.bytes);
    }
    i += letter.bytes;
  }
  return result;
}

std::string unshield(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const Letter letter = first_letter(text.substr(i));
    if (is_shield(letter.code)) {
      append(result, letter.code - kPlane);
    } else {
      result += text.substr(i, letter.bytes);
    }
    i += letter.bytes;
  }
  return result;
}

std::string_view toml_hint(std::string_view description) {
  struct Hint {
    std::string_view words;
    std::string_view text;
  };
  constexpr std::string_view kClose = "close the quote; text of several lines stands between ''' and '''";
  constexpr Hint kHints[] = {
      {"'toolchain.", "beside [toolchain.NAME], choose one with toolchain = \"NAME\" under [defaults]"},
      {"redefine", "name each key and each table once; [[benchmark]] opens one more benchmark"},
      {"escape sequence", "write text with backslashes between single quotes"},
      {"string: control characters", kClose},
      {"string: encountered end-of-file", kClose},
      {"inline table", "an inline table stands on one line; a longer one is a [TABLE] of its own"},
      {"value type", "put quotes around text, as in label = \"name\""},
      {"expected keys", "a key has the letters a to z, digits, '_' and '-', or stands in quotes"},
      {"expected a comment", "begin a new line behind each value"},
      {"expected value", "write KEY = VALUE"},
      {"expected '='", "write KEY = VALUE"},
      {"table header", "write [NAME], or [[NAME]] for one of several"},
      {"utf-8", "save the file as UTF-8"},
  };
  const auto* const fitting =
      std::ranges::find_if(kHints, [&](const Hint& one) { return description.contains(one.words); });
  if (fitting != std::end(kHints)) return fitting->text;
  return "a line is KEY = VALUE, [TABLE] or [[ARRAY]], and text stands in quotes";
}

}  // namespace tally
