/// Stepping through the text of one JSON object. Private to the readers of trace.
///
/// Tolerates bare words as values and stray commas. Never allocates, never recurses.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
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

  /// Steps over blanks (control bytes are blanks, too); '\0' at the end.
  /// A plain loop: the blanks of a layout repeat from event to event, so that its branches are foreseen, while a vector
  /// search would have everything after it wait for its result (measured: 25 % slower).
  [[gnu::always_inline]] char peek() {
    while (at_ < end_ && static_cast<unsigned char>(*at_) <= ' ') ++at_;
    return at_ < end_ ? *at_ : '\0';
  }
  void step() { ++at_; }

  /// After the opening quote has been seen: the text up to the closing one, which is stepped over. False at the end.
  [[gnu::always_inline]] bool string(std::string_view& text, bool& escaped) {
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
  [[gnu::always_inline]] bool scalar(Raw& value) {
    if (peek() == '"') {
      value.string = true;
      return string(value.text, value.escaped);
    }
    const char* const begin = at_;
    at_ = word_end(at_, end_);
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
    for (at_ = bracket_or_quote(at_, end_); at_ < end_; at_ = bracket_or_quote(at_, end_)) {
      if (*at_ == '"') {
        std::string_view text;
        bool escaped = false;
        if (!string(text, escaped)) return false;
        continue;
      }
      depth += *at_ == '{' || *at_ == '[' ? 1 : -1;
      ++at_;
      if (depth == 0) return true;
    }
    return false;
  }

  /// A number or a bare word, as scalar() reads it, where `slack` bytes behind the end may be looked at: most are
  /// numbers of fewer than sixteen characters.
  [[gnu::always_inline]] bool word(Raw& value) {
    const char* const begin = at_;
    at_ = number_end(at_);
    if (!ends_word(*at_)) at_ = word_end(at_, end_);
    value = {{begin, static_cast<std::size_t>(at_ - begin)}, false, false};
    return at_ != begin;
  }

  /// The next key of an object whose brace has been stepped over, with its colon. Empty key text and `done` at its end.
  [[gnu::always_inline]] bool key(std::string_view& text, bool& done) {
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

  /// Steps over `"LITERAL":` if that is what comes next (no blank before the colon). Costs no wait: a branch foreseen.
  template <std::size_t Size>
  [[gnu::always_inline]] bool take(const char (&literal)[Size]) {
    constexpr std::size_t length = Size - 1;
    if (static_cast<std::size_t>(end_ - at_) < length + 3 || std::memcmp(at_ + 1, literal, length) != 0 ||
        at_[length + 1] != '"' || at_[length + 2] != ':')
      return false;
    at_ += length + 3;
    return true;
  }

  /// What may follow a value.
  bool separated() {
    const char c = peek();
    return c == ',' || c == '}';
  }

  /// The first of either, or the end.
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

 private:
  static constexpr auto word_ends = [] {
    std::array<bool, 256> ends{};
    for (unsigned c = 0; c <= '"'; ++c) ends[c] = true;
    for (const char c : {',', ':', '}', ']', '{', '['}) ends[static_cast<unsigned char>(c)] = true;
    return ends;
  }();
  static bool ends_word(char c) { return word_ends[static_cast<unsigned char>(c)]; }
  static const char* bracket_or_quote(const char* at, const char* end) {
#if defined(__SSE2__)
    for (; at + 16 <= end; at += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));  // '[' and '{' fold together, ']' and '}' too
      const __m128i brackets =
          _mm_or_si128(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')), _mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
      const auto hits =
          static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(brackets, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')))));
      if (hits != 0) return at + std::countr_zero(hits);
    }
#endif
    while (at < end && *at != '"' && *at != '{' && *at != '}' && *at != '[' && *at != ']') ++at;
    return at;
  }

  /// The first of sixteen bytes that is no digit, point, sign or slash, or what is behind them.
  static const char* number_end(const char* at) {
#if defined(__SSE2__)
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i above = _mm_sub_epi8(bytes, _mm_set1_epi8('-'));
    const __m128i among = _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8('9' - '-')), above);
    return at + std::countr_zero(~static_cast<unsigned>(_mm_movemask_epi8(among)));
#else
    const char* const most = at + 16;
    while (at < most && *at >= '-' && *at <= '9') ++at;
    return at;
#endif
  }

  /// Sixteen bytes at once: a loop over a number's digits ends in a branch that no processor foresees.
  static const char* word_end(const char* at, const char* end) {
#if defined(__SSE2__)
    for (; at + 16 <= end; at += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));  // '[' and '{' fold together, ']' and '}' too
      const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8('"')), bytes);
      const __m128i marks =
          _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8(':')));
      const __m128i brackets =
          _mm_or_si128(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')), _mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
      const auto hits = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(low, marks), brackets)));
      if (hits != 0) return at + std::countr_zero(hits);
    }
#endif
    while (at < end && !ends_word(*at)) ++at;
    return at;
  }

  const char* at_;
  const char* end_;
};

}  // namespace tally::trace
