#include "trace/brace_index.h"

#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tally::trace {
namespace {

/// Bit i speaks of byte i of a block of 64.
struct Masks {
  std::uint64_t quote, backslash, open, close;
};

constexpr unsigned char kLowByteLimit = '"';  // blank, control bytes, '!' and the quote itself

/// What an instruction set has to say of a block; `low` is requested for few.
struct Portable {
  static Masks masks(const char* bytes) {
    Masks m{};
    for (unsigned i = 0; i < 64; ++i) {
      m.quote |= static_cast<std::uint64_t>(bytes[i] == '"') << i;
      m.backslash |= static_cast<std::uint64_t>(bytes[i] == '\\') << i;
      m.open |= static_cast<std::uint64_t>(bytes[i] == '{') << i;
      m.close |= static_cast<std::uint64_t>(bytes[i] == '}') << i;
    }
    return m;
  }
  static std::uint64_t low(const char* bytes) {
    std::uint64_t low = 0;
    for (unsigned i = 0; i < 64; ++i)
      low |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i]) <= kLowByteLimit) << i;
    return low;
  }
  static std::uint64_t parity(std::uint64_t bits) {
    for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
    return bits;
  }
};

/// Bytes that follow an active backslash. Takes the lowest backslash, marks its follower and strikes out both.
[[gnu::always_inline]] inline std::uint64_t escaped_bytes(std::uint64_t backslash, bool& carry) {
  if (backslash == 0 && !carry) [[likely]]
    return 0;
  std::uint64_t escaped = carry ? 1 : 0;
  backslash &= ~escaped;
  carry = false;
  while (backslash != 0) {
    const int i = std::countr_zero(backslash);
    if (i == 63) {
      carry = true;
      break;
    }
    escaped |= std::uint64_t{2} << i;
    backslash &= ~(std::uint64_t{3} << i);
  }
  return escaped;
}

/// `length` is below 64 only for the last block.
template <typename Set>
[[gnu::always_inline]] inline std::uint32_t* take_block(const char* bytes, std::uint32_t base, unsigned length,
                                                        BraceState& state, std::uint32_t* out) {
  const Masks m = Set::masks(bytes);
  const std::uint64_t escaped = escaped_bytes(m.backslash, state.escaped);
  const std::uint64_t strings = Set::parity(m.quote & ~escaped) ^ state.in_string;
  const std::uint64_t valid = length == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1;
  const std::uint64_t inner_open = m.open & strings;
  const std::uint64_t after_open = inner_open << 1 | (state.open_in_string ? 1 : 0);
  std::uint64_t bits = (m.open | m.close) & ~strings & valid;
  if (after_open != 0) [[unlikely]] {
    // Merged in order of position: the marked one stands one before its bit.
    std::uint64_t rest = after_open & Set::low(bytes) & valid;
    while (rest != 0) {
      const auto at = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint64_t before = bits & ((std::uint64_t{1} << at) - 1);
      for (std::uint64_t b = before; b != 0; b &= b - 1)
        *out++ = base + static_cast<std::uint32_t>(std::countr_zero(b));
      bits &= ~before;
      *out++ = (base + at - 1) | kBraceInString;
      rest &= rest - 1;
    }
  }
  // Four stores whether needed or not: the count of braces in a block is not predictable, the four stores are.
  const int count = std::popcount(bits);
  std::uint32_t* write = out;
  do {
    for (int k = 0; k < 4; ++k) {
      write[k] = base + static_cast<std::uint32_t>(std::countr_zero(bits));
      bits &= bits - 1;
    }
    write += 4;
  } while (bits != 0);
  if (length == 64) [[likely]] {
    state.in_string = static_cast<std::uint64_t>(static_cast<std::int64_t>(strings) >> 63);
    state.open_in_string = (inner_open >> 63) != 0;
  } else {
    state.in_string = (strings >> (length - 1) & 1) != 0 ? ~std::uint64_t{0} : 0;
    state.open_in_string = (inner_open >> (length - 1) & 1) != 0;
    state.escaped = (escaped >> length & 1) != 0;
  }
  return out + count;
}

template <typename Set>
[[gnu::always_inline]] inline std::size_t index_blocks(const char* data, std::size_t from, std::size_t to,
                                                       BraceState& outer, std::uint32_t* out) {
  BraceState state = outer;
  const std::uint32_t* const first = out;
  std::size_t at = from;
  for (; at + 64 <= to; at += 64) out = take_block<Set>(data + at, static_cast<std::uint32_t>(at), 64, state, out);
  if (at < to) {
    char tail[64] = {};
    std::memcpy(tail, data + at, to - at);
    out = take_block<Set>(tail, static_cast<std::uint32_t>(at), static_cast<unsigned>(to - at), state, out);
  }
  outer = state;
  return static_cast<std::size_t>(out - first);
}

#if defined(__x86_64__)

#define TALLY_AVX2 __attribute__((target("avx2,pclmul,bmi,popcnt")))
#define TALLY_AVX512 __attribute__((target("avx512f,avx512bw,avx2,pclmul,bmi,popcnt")))

struct Avx2 {
  TALLY_AVX2 static std::uint64_t equal(__m256i low, __m256i high, __m256i value) {
    const auto a = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, value)));
    const auto b = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, value)));
    return a | static_cast<std::uint64_t>(b) << 32;
  }
  TALLY_AVX2 static Masks masks(const char* bytes) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + 32));
    return {equal(low, high, _mm256_set1_epi8('"')), equal(low, high, _mm256_set1_epi8('\\')),
            equal(low, high, _mm256_set1_epi8('{')), equal(low, high, _mm256_set1_epi8('}'))};
  }
  TALLY_AVX2 static std::uint64_t low(const char* bytes) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + 32));
    const __m256i limit = _mm256_set1_epi8(static_cast<char>(kLowByteLimit));
    // Unsigned c <= limit is max(c, limit) == limit.
    return equal(_mm256_max_epu8(low, limit), _mm256_max_epu8(high, limit), limit);
  }
  TALLY_AVX2 static std::uint64_t parity(std::uint64_t bits) {
    const __m128i product =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(bits)), _mm_set1_epi8('\xFF'), 0);
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
  }
};

/// A block is one register, and a comparison's answer is the mask.
struct Avx512 {
  TALLY_AVX512 static Masks masks(const char* bytes) {
    const __m512i block = _mm512_loadu_si512(bytes);
    return {_mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('"')), _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('\\')),
            _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('{')), _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('}'))};
  }
  TALLY_AVX512 static std::uint64_t low(const char* bytes) {
    return _mm512_cmple_epu8_mask(_mm512_loadu_si512(bytes), _mm512_set1_epi8(static_cast<char>(kLowByteLimit)));
  }
  TALLY_AVX512 static std::uint64_t parity(std::uint64_t bits) { return Avx2::parity(bits); }
};

TALLY_AVX2 std::size_t index_braces_avx2(const char* data, std::size_t from, std::size_t to, BraceState& state,
                                         std::uint32_t* out) {
  return index_blocks<Avx2>(data, from, to, state, out);
}

TALLY_AVX512 std::size_t index_braces_avx512(const char* data, std::size_t from, std::size_t to, BraceState& state,
                                             std::uint32_t* out) {
  return index_blocks<Avx512>(data, from, to, state, out);
}

#endif

std::size_t index_braces_portable(const char* data, std::size_t from, std::size_t to, BraceState& state,
                                  std::uint32_t* out) {
  return index_blocks<Portable>(data, from, to, state, out);
}

}  // namespace

std::vector<IndexBraces> usable_index_braces() {
  std::vector<IndexBraces> usable;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("bmi");
  if (avx2 && __builtin_cpu_supports("avx512bw")) usable.push_back(index_braces_avx512);
  if (avx2) usable.push_back(index_braces_avx2);
#endif
  usable.push_back(index_braces_portable);
  return usable;
}

}  // namespace tally::trace
