#include "json/scan.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/utf8.h"
#include "json/text.h"

namespace tally::json {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Eight of them: a record is mostly numbers of seventeen digits.
bool are_digits(const char* at) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, 8);
  constexpr std::uint64_t kHigh = 0xf0f0'f0f0'f0f0'f0f0;
  constexpr std::uint64_t kZeros = 0x3030'3030'3030'3030;
  return (bytes & kHigh) == kZeros && ((bytes + 0x0606'0606'0606'0606) & kHigh) == kZeros;
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

bool Scanner::fail() {
  broken_ = true;
  return false;
}

const char* Scanner::here() {
  while (at_ < end_ && is_blank(*at_)) ++at_;
  return at_ < end_ ? at_ : nullptr;
}

bool Scanner::enter(char open) {
  const char* const next = broken_ ? nullptr : here();
  if (next == nullptr || *next != open) return fail();
  ++at_;
  first_ = true;
  return true;
}

/// Whether another member or element comes; steps over the comma before it, or over the end.
bool Scanner::next(char close) {
  const char* c = broken_ ? nullptr : here();
  if (c == nullptr) return fail();
  if (*c == close) {
    ++at_;
    first_ = false;
    return false;
  }
  if (!first_) {
    if (*c != ',') return fail();
    ++at_;
    c = here();
    if (c == nullptr || *c == close) return fail();
  }
  first_ = false;
  return true;
}

bool Scanner::next_member(std::string_view& key) {
  if (!next('}')) return false;
  const char* const begin = at_;
  if (*begin != '"' || !string()) return fail();
  key = {begin + 1, static_cast<std::size_t>(at_ - begin - 2)};
  const char* const colon = here();
  if (colon == nullptr || *colon != ':') return fail();
  ++at_;
  return true;
}

bool Scanner::next_element() { return next(']'); }

std::optional<std::string_view> Scanner::value() {
  const char* const begin = broken_ ? nullptr : here();
  if (begin == nullptr || !any(0)) {
    fail();
    return std::nullopt;
  }
  return std::string_view(begin, static_cast<std::size_t>(at_ - begin));
}

bool Scanner::any(int level) {
  const char* const c = here();
  if (c == nullptr || level > kMostLevels) return fail();
  switch (*c) {
    case '{':
      return members(level);
    case '[':
      return elements(level);
    case '"':
      return string();
    case 't':
      return word("true");
    case 'f':
      return word("false");
    case 'n':
      return word("null");
    default:
      return number();
  }
}

bool Scanner::members(int level) {
  enter('{');
  for (std::string_view key; next_member(key);) {
    if (!any(level + 1)) return fail();
  }
  return !broken_;
}

bool Scanner::elements(int level) {
  enter('[');
  while (next_element()) {
    if (!any(level + 1)) return fail();
  }
  return !broken_;
}

bool Scanner::word(std::string_view text) {
  if (static_cast<std::size_t>(end_ - at_) < text.size() || std::string_view(at_, text.size()) != text) return fail();
  at_ += text.size();
  return true;
}

bool Scanner::string() {
  ++at_;
  while (at_ < end_) {
    const char c = *at_;
    if (c == '"') {
      ++at_;
      return true;
    }
    if (c == '\\') {
      if (!escape()) return false;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      return fail();
    } else if (static_cast<unsigned char>(c) < 0x80) {
      ++at_;
    } else {
      const Letter letter = first_letter({at_, static_cast<std::size_t>(end_ - at_)});
      if (!letter.valid) return fail();
      at_ += letter.bytes;
    }
  }
  return fail();
}

std::optional<unsigned> Scanner::hex_digits() {
  constexpr int kDigits = 4;
  unsigned code = 0;
  if (end_ - at_ < kDigits) return std::nullopt;
  for (int i = 0; i < kDigits; ++i, ++at_) {
    const char c = *at_;
    const unsigned digit = is_digit(c)            ? static_cast<unsigned>(c - '0')
                           : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                           : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A' + 10)
                                                  : 16U;
    if (digit > 15) return std::nullopt;
    code = code * 16 + digit;
  }
  return code;
}

bool Scanner::escape() {
  ++at_;
  if (at_ == end_) return fail();
  const char c = *at_++;
  if (c != 'u') return std::string_view("\"\\/bfnrt").contains(c) ? true : fail();
  const auto code = hex_digits();
  if (!code || (*code >= 0xdc00 && *code < 0xe000)) return fail();
  if (*code < 0xd800 || *code >= 0xe000) return true;
  // The first half of a pair: the other one must follow.
  if (end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') return fail();
  at_ += 2;
  const auto low = hex_digits();
  return low && *low >= 0xdc00 && *low < 0xe000 ? true : fail();
}

bool Scanner::number() {
  const char* const begin = at_;
  const auto digits = [&] {
    const char* const first = at_;
    while (end_ - at_ >= 8 && are_digits(at_)) at_ += 8;
    while (at_ < end_ && is_digit(*at_)) ++at_;
    return at_ - first;
  };
  if (*at_ == '-') ++at_;
  if (at_ < end_ && *at_ == '0') {
    ++at_;
  } else if (digits() == 0) {
    return fail();
  }
  if (at_ < end_ && *at_ == '.') {
    ++at_;
    if (digits() == 0) return fail();
  }
  std::ptrdiff_t of_exponent = 0;
  if (at_ < end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ < end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    of_exponent = digits();
    if (of_exponent == 0) return fail();
  }
  // Only then can it be more than a number holds.
  if (of_exponent < 3 && at_ - begin < 200) return true;
  return std::isfinite(std::strtod(std::string(begin, at_).c_str(), nullptr)) ? true : fail();
}

}  // namespace tally::json
