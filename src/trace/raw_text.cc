#include "trace/raw_text.h"

#include <cstdint>

namespace tally::trace {
namespace {

void take_hex(std::string_view text, std::size_t at, std::uint32_t& code, bool& ok) {
  code = 0;
  ok = at + 4 <= text.size();
  for (std::size_t i = at; ok && i < at + 4; ++i) {
    const char c = text[i];
    const char low = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      code = code * 16 + static_cast<std::uint32_t>(c - '0');
    } else if (low >= 'a' && low <= 'f') {
      code = code * 16 + static_cast<std::uint32_t>(low - 'a' + 10);
    } else {
      ok = false;
    }
  }
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

}  // namespace

std::string plain_text(const Raw& value) {
  if (!value.escaped) return std::string(value.text);
  std::string out;
  const std::string_view text = value.text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    if (c != 'u') {
      constexpr std::string_view from = "bfnrt", to = "\b\f\n\r\t";
      const std::size_t which = from.find(c);
      out += which == std::string_view::npos ? c : to[which];
      continue;
    }
    std::uint32_t code = 0, low = 0;
    bool ok = false;
    take_hex(text, i + 1, code, ok);
    if (!ok) {
      out += "\\u";
      continue;
    }
    i += 4;
    if (code >= 0xD800 && code < 0xE000) {
      bool pair = false;
      if (code < 0xDC00 && text.substr(i + 1).starts_with("\\u")) take_hex(text, i + 3, low, pair);
      if (pair && low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        i += 6;
      } else {
        code = 0xFFFD;
      }
    }
    append_utf8(out, code);
  }
  return out;
}

}  // namespace tally::trace
