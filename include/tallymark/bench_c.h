/// Compiled benchmarks in C: what a C99 program includes to have its functions counted and timed by `tally`. C++
/// programs include <tallymark/bench.h>.
///
///     TALLY_BENCH("sort", .args = {TALLY_ARG("n", 64, 1000)}) (tally_state* state) {
///       const size_t n = (size_t)tally_arg(state, 0);
///       int* room = make(n);                             // once, not measured
///       TALLY_LOOP (state) {                             // measured
///         tally_pause(state);
///         fill(room, n);                                 // not measured
///         tally_resume(state);
///         qsort(room, n, sizeof *room, compare);
///         TALLY_CLOBBER();
///       }
///       free(room);
///     }
///
/// Link libtallymark_bench.a, which has a main(), and the C++ library: cc bench.c -ltallymark_bench -lstdc++ -lm
/// -pthread -Wl,-z,now. Measure with `tally run --program EXE`. A function runs in a process of its own for each of its
/// cases; one that leaves its loop early or has none fails its case. For gcc and clang.
#ifndef TALLYMARK_BENCH_C_H
#define TALLYMARK_BENCH_C_H

#if defined(__cplusplus) && !defined(TALLYMARK_C_LIBRARY)  // which is itself in C++
#error "<tallymark/bench_c.h> is for C: C++ programs include <tallymark/bench.h>"
#include "include <tallymark/bench.h>"  // There is no such file: compilers stop here.
#endif
#if !defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "tallymark needs C99 or newer: compile with -std=c99"
#include "compile with -std=c99"
#endif

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A benchmark's view of the case that it runs for. Made by the library; lives as long as the function's call.
typedef struct tally_state tally_state;

typedef void (*tally_function)(tally_state* state);

enum { TALLY_MOST_ARGS = 8, TALLY_MOST_THREADS = 16 };

/// The values of one argument, in order, and its name in ids; null: "arg0", "arg1", … by its place.
typedef struct tally_axis {
  const char* name;
  const long long* values;
  size_t count;
} tally_axis;

/// What a definition may say besides its name. One case for every combination of the arguments' values and numbers of
/// threads.
typedef struct tally_options {
  int unused;  ///< Begins every list of the macros: an empty one is no C99.
  tally_axis args[TALLY_MOST_ARGS];
  int threads[TALLY_MOST_THREADS];  ///< The function runs in so many at once; none: in one.
  unsigned long long iterations;    ///< Of each call of the function, which has no other calls; 0: as tally asks.
  int manual_time;                  ///< Times are what tally_set_time() says.
} tally_options;

/// An argument of a definition: its name, or 0, and its values.
#define TALLY_ARG(name, ...) {name, TALLY_VALUES_(__VA_ARGS__), sizeof TALLY_VALUES_(__VA_ARGS__) / sizeof(long long)}
#define TALLY_VALUES_(...) ((const long long[]){__VA_ARGS__})

/// How a counter's value is shown: as it is, or, a value of one execution, divided by the time that it takes.
typedef enum tally_per { TALLY_PER_RUN, TALLY_PER_SECOND } tally_per;

/// Makes a benchmark known. Its name has neither tabs, line breaks nor "${", and no other one has it. Ends the program
/// with a message (exit code 2) otherwise. `options` may be null, and is copied.
void tally_add_benchmark(const char* name, tally_function function, const tally_options* options);

/// What main() does: it serves `tally` where that has started the program; --list names the benchmarks; anything else
/// runs them here, without counts. Returns the exit code; where it served `tally` it ends the process instead.
int tally_bench_main(int argc, char** argv);

/// The value of an argument, by its place. The case fails where there is none.
long long tally_arg(const tally_state* state, size_t place);

/// In a loop: what lies between the two is neither counted nor timed. Their own cost is subtracted.
void tally_pause(tally_state* state);
void tally_resume(tally_state* state);

/// In a loop of a benchmark with manual_time: how long this execution took. Its count is of all of it.
void tally_set_time(tally_state* state, double seconds);

/// A number to stand beside the measured ones. Added up over threads.
void tally_counter(tally_state* state, const char* name, double value, tally_per per);

/// The case is not to be measured, for this reason, which is no failure; or it fails. The loop is not run; one that has
/// begun must be left.
void tally_skip(tally_state* state, const char* reason);
void tally_fail(tally_state* state, const char* reason);

int tally_thread(const tally_state* state);   ///< From 0.
int tally_threads(const tally_state* state);  ///< That run this function at once.
/// Executions of the loop so far, in this process. After the loop: those that what was added up in it is of.
unsigned long long tally_executions(const tally_state* state);

/// Makes the compiler believe that `value` is used, so that what computes it is not removed.
#define TALLY_KEEP(value) __asm__ volatile("" : : "r,m"(value) : "memory")
/// Makes the compiler believe that all memory is read and written here. Neither costs an instruction.
#define TALLY_CLOBBER() __asm__ volatile("" : : : "memory")

/// The measured loop, of which a function has one, run to its end: TALLY_LOOP (state) { … }
#define TALLY_LOOP(state) TALLY_LOOP_OF_(state, tally_open_(state, tally_empty_loop_))

// Nothing from here on is for users. A loop asks for work and runs so many executions each time, until the answer is 0.

unsigned long long tally_open_(tally_state* state, void (*empty)(tally_state* state, unsigned pauses));
unsigned long long tally_next_(tally_state* state);

static __inline__ __attribute__((always_inline, unused)) void tally_barrier_(void) { TALLY_CLOBBER(); }

#if defined(__clang__) && !defined(__OPTIMIZE__)
// All of it is in the condition: at -O0 clang jumps from an empty body to what a loop does after it, and from no other.
#define TALLY_LOOP_OF_(state, first)             \
  for (unsigned long long tally_left_ = (first); \
       tally_barrier_(), __builtin_expect(tally_left_-- != 0, 1) || (tally_left_ = tally_next_(state) - 1) != ~0ULL;)
#else
#define TALLY_LOOP_OF_(state, first)                                                     \
  for (unsigned long long tally_left_ = (first);                                         \
       __builtin_expect(tally_left_ != 0, 1) || (tally_left_ = tally_next_(state)) != 0; \
       tally_barrier_(), --tally_left_)
#endif

/// The same loop with an empty body, in each translation unit, compiled as the user's own are: its cost is
/// taken off. With so many pauses in each execution.
static __attribute__((noinline, unused)) void tally_empty_loop_(tally_state* state, unsigned pauses) {
  if (pauses == 0) {
    TALLY_LOOP_OF_(state, 0) {}
  } else if (pauses == 1) {
    TALLY_LOOP_OF_(state, 0) {
      tally_pause(state);
      tally_resume(state);
    }
  } else {
    TALLY_LOOP_OF_(state, 0) {
      for (unsigned i = 0; i < pauses; ++i) {
        tally_pause(state);
        tally_resume(state);
      }
    }
  }
}

#define TALLY_BENCH_JOIN_(a, b) a##b
#define TALLY_BENCH_JOIN(a, b) TALLY_BENCH_JOIN_(a, b)
#define TALLY_BENCH_NAMED(id, name, ...)                                                                  \
  static void TALLY_BENCH_JOIN(tally_bench_, id)(tally_state*);                                           \
  static const tally_options TALLY_BENCH_JOIN(tally_options_, id) = {.unused = 0, __VA_ARGS__};           \
  __attribute__((constructor)) static void TALLY_BENCH_JOIN(tally_registration_, id)(void) {              \
    tally_add_benchmark(name, TALLY_BENCH_JOIN(tally_bench_, id), &TALLY_BENCH_JOIN(tally_options_, id)); \
  }                                                                                                       \
  static void TALLY_BENCH_JOIN(tally_bench_, id)
#define TALLY_BENCH_AT(id, ...) TALLY_BENCH_NAMED(id, __VA_ARGS__)

/// TALLY_BENCH("name") (tally_state* state) { … }, or with what tally_options has after the name.
#define TALLY_BENCH(...) TALLY_BENCH_AT(__COUNTER__, __VA_ARGS__, )

#ifdef __cplusplus
}
#endif

#endif
