/// Stepping through the text of one JSON object. Private to the readers of trace.
///
/// Tolerates bare words as values and stray commas. Never allocates, never recurses.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "trace/fields.h"

namespace tally::trace {

class Cursor {
 public:
  Cursor(const char* at, const char* end) : at_(at), end_(end) {}

  [[nodiscard]] const char* at() const { return at_; }
  void jump(const char* to) { at_ = to; }

  /// Steps over blanks; '\0' at the end.
  char peek() {
    while (at_ < end_ && is_blank(*at_)) ++at_;
    return at_ < end_ ? *at_ : '\0';
  }
  void step() { ++at_; }

  /// After the opening quote has been seen: the text up to the closing one, which is stepped over. False at the end.
  bool string(std::string_view& text, bool& escaped) {
    const char* const begin = ++at_;
    escaped = false;
    for (;;) {
      const char* hit = quote_or_backslash(at_, end_);
      if (hit == end_) return false;
      if (*hit == '"') {
        text = {begin, static_cast<std::size_t>(hit - begin)};
        at_ = hit + 1;
        return true;
      }
      escaped = true;
      at_ = hit + 2;
      if (at_ >= end_) return false;
    }
  }

  /// A string, number or bare word; false when there is none of those.
  bool scalar(Raw& value) {
    if (peek() == '"') {
      value.string = true;
      return string(value.text, value.escaped);
    }
    const char* const begin = at_;
    while (at_ < end_ && !ends_word(*at_)) ++at_;
    value = {{begin, static_cast<std::size_t>(at_ - begin)}, false, false};
    return at_ != begin;
  }

  /// Any value. Objects and arrays are stepped over by counting brackets outside strings.
  bool skip_value() {
    const char c = peek();
    if (c != '{' && c != '[') {
      Raw ignored;
      return scalar(ignored);
    }
    int depth = 0;
    while (at_ < end_) {
      switch (*at_) {
        case '"': {
          std::string_view text;
          bool escaped = false;
          if (!string(text, escaped)) return false;
          continue;
        }
        case '{':
        case '[':
          ++depth;
          break;
        case '}':
        case ']':
          if (--depth == 0) {
            ++at_;
            return true;
          }
          break;
        default:
          break;
      }
      ++at_;
    }
    return false;
  }

  /// The next key of an object whose brace has been stepped over, with its colon. Empty key text and `done` at its end.
  bool key(std::string_view& text, bool& done) {
    char c = peek();
    while (c == ',') {
      ++at_;
      c = peek();
    }
    done = c == '}';
    if (done) return true;
    bool escaped = false;
    if (c != '"' || !string(text, escaped) || peek() != ':') return false;
    ++at_;
    return true;
  }

  /// What may follow a value.
  bool separated() {
    const char c = peek();
    return c == ',' || c == '}';
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  static bool ends_word(char c) {
    return c == ',' || c == '}' || c == ']' || is_blank(c) || c == '{' || c == '[' || c == '"' || c == ':';
  }
  static const char* quote_or_backslash(const char* at, const char* end) {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
    for (; at + 16 <= end; at += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const auto hits = static_cast<unsigned>(
          _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash))));
      if (hits != 0) return at + std::countr_zero(hits);
    }
#endif
    while (at < end && *at != '"' && *at != '\\') ++at;
    return at;
  }

  const char* at_;
  const char* end_;
};

}  // namespace tally::trace
