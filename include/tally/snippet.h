/* What a C++ snippet is compiled with: the door through which a host runs it, and helpers for the person who writes it.
   Nothing of the standard library is needed but <exception>, and that only where exceptions are on. */
#ifndef TALLY_SNIPPET_H
#define TALLY_SNIPPET_H

#if defined(__cplusplus) && defined(__cpp_exceptions)
#include <exception>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The host's side of a measured phase. A snippet asks for work until `next` says 0, and runs so many iterations each
   time. What the host does inside `next` (forking a replicate, zeroing counters, reading the clock) is its own affair.
 */
struct tally_regions {
  unsigned long long (*next)(struct tally_regions*);
  /* Ends the case; `detail` may be null. Returns, and the snippet must then return too. */
  void (*fail)(struct tally_regions*, const char* message, const char* detail);
  /* Set by the snippet, or null: called before each region, not measured; and at its end, measured. */
  void (*before_region)(void);
  void (*sync)(void);
  /* Reports what one execution left, as text, or why it cannot be shown ("" otherwise); only snippets that are compiled
     with tally/result.h call it. Does nothing outside a measured region. */
  void (*result)(struct tally_regions*, const char* text, const char* refusal);
  /* Set by the snippet, or null: which device the case works on, or null for none; then `sync` is not called. Asked
     once a phase is warmed up. */
  const char* (*device)(void);
  /* Set by the snippet, or null: called where the case works on a device and no instructions are counted. With 3 once,
     before the device is warmed up; then with 0 as a region begins, with 1 before its wait for the device, and with 2
     after it, when it returns the seconds that the device took by its own clock; 0: it has none. With 4 before a region
     of a case with a cold cache: it writes over the device's cache, and returns how many bytes that are. */
  double (*observe)(int what);
};

#ifdef __cplusplus
}

namespace tally {

/// Makes the compiler believe that `value` is used, so that what computes it is not removed. Costs no instruction where
/// the value lives in memory or in a register already.
template <typename T>
__attribute__((always_inline)) inline void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

template <typename T>
__attribute__((always_inline)) inline void keep(T& value) {
#if defined(__clang__)
  asm volatile("" : "+r,m"(value) : : "memory");
#else
  // g++ 12 takes the output for a store over the value, and drops the store before it: `keep(room[i] = 10)`.
  asm volatile("" : : : "memory");
  asm volatile("" : "+m,r"(value) : : "memory");
#endif
}

/// Makes the compiler believe that all memory is read and written here.
__attribute__((always_inline)) inline void barrier() { asm volatile("" : : : "memory"); }

/// Before the loops of a case. From 13 on, g++ unrolls small loops at -O2: the empty one by two, and the measured one
/// not, so that every statement read an instruction too much.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 13
#define TALLY_NOT_UNROLLED _Pragma("GCC unroll 1")
#else
#define TALLY_NOT_UNROLLED
#endif

namespace detail {

/// What a measured loop returns, so that a `return` in a statement does not compile instead of ending the loop early.
struct loop_done {};

/// A loop is a function of its own, never inlined: what surrounds it must not change how it is compiled.
template <typename Loop>
__attribute__((noinline)) void run(struct tally_regions* regions, Loop&& loop) {
  while (unsigned long long n = regions->next(regions)) loop(n);
}

}  // namespace detail
}  // namespace tally

/* What surrounds a snippet's body: an exception ends the case with its message. */
#ifdef __cpp_exceptions
#define TALLY_TRY try {
#define TALLY_CATCH(regions)                                              \
  }                                                                       \
  catch (const std::exception& __tally_error) {                           \
    (regions)->fail(regions, __tally_error.what(), nullptr);              \
  }                                                                       \
  catch (...) {                                                           \
    (regions)->fail(regions, "threw what is no std::exception", nullptr); \
  }
#else
#define TALLY_TRY {
#define TALLY_CATCH(regions) }
#endif
#endif
#endif
