/// A text that many others are compared with: sixteen bytes at a time.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tally::trace {

class Literal {
 public:
  Literal() = default;
  explicit Literal(std::string_view text) : padded_(text), size_(text.size()) {
    const std::size_t rest = (size_ + block - 1) % block + 1;  // In the last block, 1 to 16.
    last_ = (1U << rest) - 1;
    padded_.resize(size_ + block - rest);
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::string_view text() const { return {padded_.data(), size_}; }

  /// Whether it stands at `at`. May look at fifteen bytes more than its size.
  [[nodiscard]] [[gnu::always_inline]] bool is_at(const char* at) const {
#if defined(__SSE2__)
    const char* wanted = padded_.data();
    const char* const last = wanted + padded_.size() - block;
    for (; wanted < last; wanted += block, at += block)
      if (differences(at, wanted) != 0) return false;
    return (differences(at, wanted) & last_) == 0;
#else
    return std::memcmp(at, padded_.data(), size_) == 0;
#endif
  }

 private:
  static constexpr std::size_t block = 16;

#if defined(__SSE2__)
  [[gnu::always_inline]] static unsigned differences(const char* a, const char* b) {
    const __m128i equal = _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a)),
                                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(b)));
    return static_cast<unsigned>(_mm_movemask_epi8(equal)) ^ 0xFFFF;
  }
#endif

  std::string padded_;  ///< With zeros to whole blocks.
  std::size_t size_ = 0;
  unsigned last_ = 0;  ///< Bits of the last block's bytes that count.
};

}  // namespace tally::trace
