/// Compiled benchmarks: what a C++17 program includes to have its functions counted and timed by `tally`.
///
///     TALLY_BENCH("sort", .args = {{64, 1000}}) (tally::State& state) {     // C++17: tally::args({64, 1000})
///       const std::vector<int> in = make(state.arg(0));                     // once, not measured
///       for (auto _ : state) tally::keep(sorted(in));                       // measured
///     }
///
/// Link the CMake target tallymark::bench, which has a main(), and measure with `tally run --program EXE`. A function
/// runs in a process of its own for each of its cases; what it prints is no part of anything. A function that throws,
/// leaves its loop early or has none fails its case. Counts are instructions, arguments are what the definition says.
#ifndef TALLYMARK_BENCH_H
#define TALLYMARK_BENCH_H

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tally/snippet.h"

namespace tally {

/// Makes the compiler believe that all memory is read and written here. Costs no instruction. (tally::keep(value), of
/// tally/snippet.h, makes it believe that a value is used.)
__attribute__((always_inline)) inline void clobber() { barrier(); }

/// The values of one argument, in order, and its name in ids; without one it is "arg0", "arg1", … by its place.
struct Axis {
  Axis(std::initializer_list<long long> its_values) : values(its_values) {}
  Axis(const char* its_name, std::initializer_list<long long> its_values) : name(its_name), values(its_values) {}

  std::string name;
  std::vector<long long> values;
};

/// What a definition may say besides its name. One case for every combination of the arguments' values.
struct Options {
  std::vector<Axis> args = {};
};

/// The same without a designated initialiser, which C++17 has not.
inline std::vector<Axis> args(std::initializer_list<Axis> axes) { return axes; }
inline std::vector<Axis> args(std::initializer_list<long long> values) { return {Axis(values)}; }

class State;

namespace detail {

/// What `auto _` is: nothing, and nobody is warned that it is not used.
struct [[maybe_unused]] Tick {};

struct End {};

/// A measured loop. All of it is inlined, also where nothing else is: the empty loop, which is taken off, must be
/// compiled as the user's is.
class Rounds {
 public:
  __attribute__((always_inline)) explicit Rounds(State* state) : state_(state) {}
  __attribute__((always_inline)) Rounds begin() const { return *this; }
  __attribute__((always_inline)) End end() const { return {}; }
  __attribute__((always_inline)) bool operator!=(End) {
    if (__builtin_expect(left_ != 0, 1)) return true;
    left_ = next(state_);
    return left_ != 0;
  }
  __attribute__((always_inline)) void operator++() {
    barrier();
    --left_;
  }
  __attribute__((always_inline)) Tick operator*() const { return {}; }

 private:
  /// How many executions come next; 0 ends the loop.
  static unsigned long long next(State* state);

  State* state_;
  unsigned long long left_ = 0;
};

/// In each translation unit, as it is compiled.
[[maybe_unused]] __attribute__((noinline)) static void empty_loop(State* state) {
  for (auto _ : Rounds(state)) static_cast<void>(_);
}

}  // namespace detail

/// A benchmark's view of the case that it runs for. Made by the library; lives as long as the function's call.
class State {
 public:
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// The value of an argument, by its place. Throws std::out_of_range where there is none.
  [[nodiscard]] long long arg(std::size_t place = 0) const {
    if (place >= args_.size()) no_such_arg(place);
    return args_[place];
  }

  /// The measured loop, of which a function has one: for (auto _ : state) …
  __attribute__((always_inline)) detail::Rounds begin() {
    if (enter_baseline()) detail::empty_loop(this);
    enter_statement();
    return detail::Rounds(this);
  }
  __attribute__((always_inline)) detail::End end() const { return {}; }

 private:
  friend class detail::Rounds;
  friend struct Conductor;

  explicit State(std::vector<long long> values) : args_(std::move(values)) {}
  [[noreturn]] void no_such_arg(std::size_t place) const;
  bool enter_baseline();
  void enter_statement();
  unsigned long long next();

  std::vector<long long> args_;
  void* regions_ = nullptr;
  bool entered_ = false;
  bool over_ = false;
};

using Function = void (*)(State&);

/// Makes a benchmark known. Its name has neither tabs, line breaks nor "${", and no other one has it. Ends the program
/// with a message (exit code 2) otherwise.
void add_benchmark(const char* name, Function function, Options options = {});

/// What main() does: it serves `tally` where that has started the program, lists the benchmarks for --list, and tells
/// how it is measured for anything else. Returns the exit code; where it served `tally` it ends the process instead.
int bench_main(int argc, char** argv);

namespace detail {

struct Registration {
  Registration(Function function, const char* name, Options options) {
    add_benchmark(name, function, std::move(options));
  }
};

inline unsigned long long Rounds::next(State* state) { return state->next(); }

}  // namespace detail
}  // namespace tally

#define TALLY_BENCH_JOIN(a, b) a##b
#define TALLY_BENCH_NAMED(id, name, ...)                                                \
  static void TALLY_BENCH_JOIN(tally_bench_, id)(::tally::State&);                      \
  static const ::tally::detail::Registration TALLY_BENCH_JOIN(tally_registration_, id)( \
      TALLY_BENCH_JOIN(tally_bench_, id), name, ::tally::Options{__VA_ARGS__});         \
  static void TALLY_BENCH_JOIN(tally_bench_, id)
#define TALLY_BENCH_AT(id, ...) TALLY_BENCH_NAMED(id, __VA_ARGS__)

/// TALLY_BENCH("name") (tally::State& state) { … }, or with Options after the name.
#define TALLY_BENCH(...) TALLY_BENCH_AT(__COUNTER__, __VA_ARGS__, )

#endif
