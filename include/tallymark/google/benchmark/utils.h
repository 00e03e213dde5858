/// What keeps a compiler from removing the work that is measured.
#ifndef TALLYMARK_BENCHMARK_UTILS_H
#define TALLYMARK_BENCHMARK_UTILS_H

#include <type_traits>

#include "benchmark/types.h"
#include "tally/snippet.h"

TALLYMARK_FACADE_BEGIN

/// All memory is read and written here, for all that the compiler knows.
inline BENCHMARK_ALWAYS_INLINE void ClobberMemory() { ::tally::barrier(); }

/// The value is used.
template <typename T>
BENCHMARK_DEPRECATED_MSG("a const reference lets the compiler keep the value's old copy")
inline BENCHMARK_ALWAYS_INLINE void DoNotOptimize(const T& value) {
  if constexpr (std::is_trivially_copyable<T>::value && sizeof(T) <= sizeof(T*)) {
    asm volatile("" : : "r,m"(value) : "memory");
  } else {
    asm volatile("" : : "m"(value) : "memory");
  }
}

/// Whether an object of this type, or of an array's elements, can have another value at all: none with a const member.
template <typename T, typename Element = typename std::remove_all_extents<T>::type>
constexpr bool can_change = std::is_copy_assignable<Element>::value || std::is_move_assignable<Element>::value;

/// The value is used, and may be another one afterwards.
template <typename T>
inline BENCHMARK_ALWAYS_INLINE void DoNotOptimize(T& value) {
  if constexpr (!can_change<T>) {
    asm volatile("" : : "m"(value) : "memory");
  } else if constexpr (std::is_trivially_copyable<T>::value && sizeof(T) <= sizeof(T*)) {
#if defined(__clang__)
    asm volatile("" : "+r,m"(value) : : "memory");
#else
    // g++ 12 takes the output for a store over the value, and drops the store before it: `DoNotOptimize(room[i] = 10)`.
    ::tally::barrier();
    asm volatile("" : "+m,r"(value) : : "memory");
#endif
  } else {
    asm volatile("" : "+m"(value) : : "memory");
  }
}

template <typename T>
inline BENCHMARK_ALWAYS_INLINE
    typename std::enable_if<!std::is_lvalue_reference<T>::value && !std::is_const<T>::value>::type
    DoNotOptimize(T&& value) {
  DoNotOptimize(static_cast<T&>(value));
}

/// The values that Range() and DenseRange() take.
std::vector<std::int64_t> CreateRange(std::int64_t lo, std::int64_t hi, int multi);
std::vector<std::int64_t> CreateDenseRange(std::int64_t start, std::int64_t limit, int step);

TALLYMARK_FACADE_END

#endif
