/// Benchmarks that a program makes known by reaching them: those of libraries whose benchmarks stand in the middle of
/// main() or of a test. For <tallymark/catch2.h> and <tallymark/nanobench.h>. Nothing here is for users.
///
/// `tally` asks the program for a list: main() runs, each benchmark that it reaches is noted, and none is measured. A
/// case is a process in which main() runs from its beginning and passes by all benchmarks but one: that one's loop is
/// measured, and the process goes no further. Where `tally` did not start the program, none of this happens.
#ifndef TALLYMARK_REACHED_H
#define TALLYMARK_REACHED_H

#if __cplusplus < 201703L
#error "tallymark needs C++17 or newer: compile with -std=c++17"
#include "compile with -std=c++17"  // There is no such file: compilers stop here, and not after thirty errors more.
#endif

#include <string>

#include "tallymark/loop.h"

namespace tally {
namespace detail {

/// What main() runs for: as ever; to list what it reaches; to reach one benchmark.
enum class Errand { none, list, seek };
Errand errand();

/// Whether main() will run for `tally`. Holds before main() has begun, too.
bool is_asked();

/// The benchmark that is sought; empty: none is.
const std::string& sought();

/// main() has reached a benchmark. A name that was reached before becomes "name#2". False: pass by.
bool reach(const std::string& name);

/// Measures the benchmark that was reached, and ends the process. `function` has a measured loop; it is called once,
/// or, if it asks for promise(), for each region. The case fails with what it throws.
[[noreturn]] void measure_reached(void (*function)(Call* call, void* context), void* context);

/// How many executions this call of the function has.
unsigned long long promise(Call* call);

/// Why the case fails if main() ends before it has reached its benchmark.
void trouble(const std::string& what);
const std::string& trouble();

/// Calls a function and drops what it throws.
void call_quietly(void (*function)(void* context), void* context);

/// The case that is sought fails for this reason: what comes before its benchmark went wrong. Does not return.
[[noreturn]] void give_up(const std::string& reason);

/// So much of a unit in one execution; shown per second.
void count_items(Call* call, const std::string& unit, double items);

/// For empty loops, which pause.
struct Pauses {
  explicit Pauses(Call* its_call) : call(its_call) {}
  void pause() { detail::pause(call); }
  void resume() { detail::resume(call); }
  Call* call;
};

/// An operation that does nothing, in the place of the user's.
struct NoOperation {
  void operator()() const {}
};

/// The loop of an operation, which is called in each execution, and its empty form.
template <typename Operation>
__attribute__((always_inline)) inline void call_in_rounds(Call* call, Operation& operation) {
  for (auto _ : Rounds(call)) {
    static_cast<void>(_);
    operation();
  }
}

template <typename Operation>
__attribute__((noinline)) static void empty_calls_in(Pauses& pauses, Call* call, unsigned number) {
  Operation operation;
  if (number == 0) return call_in_rounds(call, operation);
  if (number == 1) {
    for (auto _ : Rounds(call)) {
      static_cast<void>(_);
      pauses.pause();
      pauses.resume();
      operation();
    }
    return;
  }
  for (auto _ : Rounds(call)) {
    static_cast<void>(_);
    for (unsigned i = 0; i < number; ++i) {
      pauses.pause();
      pauses.resume();
    }
    operation();
  }
}

template <typename Operation>
static void empty_calls(Call* call, unsigned number) {
  Pauses pauses(call);
  empty_calls_in<Operation>(pauses, call, number);
}

}  // namespace detail
}  // namespace tally

extern "C" {

/// The C library's function that calls main(), after all static objects are made. `real` is found by its name.
int tally_start_program(int (*program)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                        void (*rtld_fini)(), void* stack_end);

#ifndef TALLYMARK_REACHED_LIBRARY  // whose archive would bring it into every program
/// In the place of the C library's own, so that main() can be called in each case. Weak: it is in each object.
__attribute__((weak, visibility("default"))) int __libc_start_main(int (*program)(int, char**, char**), int argc,
                                                                   char** argv, void (*init)(), void (*fini)(),
                                                                   void (*rtld_fini)(), void* stack_end) {
  return tally_start_program(program, argc, argv, init, fini, rtld_fini, stack_end);
}
#endif
}

#endif
