/// Compiled benchmarks: what a C++17 program includes to have its functions counted and timed by `tally`.
///
///     TALLY_BENCH("sort", .args = {{64, 1000}}) (tally::State& state) {     // C++17: tally::args({64, 1000})
///       const std::vector<int> in = make(state.arg(0));                     // once, not measured
///       for (auto& v : state.each([&] { return in; }))                      // a fresh one for each, not measured
///         std::sort(v.begin(), v.end());                                    // measured
///       state.counter("items", state.arg(0), tally::Per::second);
///     }
///
/// Link the CMake target tallymark::bench, which has a main(), and measure with `tally run --program EXE`. A function
/// runs in a process of its own for each of its cases; what it prints is no part of anything. A function that throws,
/// leaves its loop early or has none fails its case. Counts are instructions, arguments are what the definition says.
#ifndef TALLYMARK_BENCH_H
#define TALLYMARK_BENCH_H

#if __cplusplus < 201703L
#error "tallymark needs C++17 or newer: compile with -std=c++17"
#include "compile with -std=c++17"  // There is no such file: compilers stop here, and not after thirty errors more.
#endif

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally/snippet.h"
#include "tallymark/loop.h"

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

/// What a definition may say besides its name. One case for every combination of the arguments' values and numbers of
/// threads.
struct Options {
  std::vector<Axis> args = {};
  std::vector<int> threads = {1};     ///< The function runs in so many at once.
  unsigned long long iterations = 0;  ///< Of each call of the function, which has no other calls; 0: as tally asks.
  bool manual_time = false;           ///< Times are what state.set_time() says.
};

/// The arguments without a designated initialiser, which C++17 has not.
inline Options args(std::initializer_list<Axis> axes) {
  Options options;
  options.args = axes;
  return options;
}
inline Options args(std::initializer_list<long long> values) {
  Options options;
  options.args = {Axis(values)};
  return options;
}

/// How a counter's value is shown: as it is, or, a value of one execution, divided by the time that it takes.
enum class Per { run, second };

/// A benchmark's view of the case that it runs for. Made by the library; lives as long as the function's call.
class State {
 public:
  explicit State(detail::Call* call) : call_(call) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// The value of an argument, by its place. Throws std::out_of_range where there is none.
  [[nodiscard]] long long arg(std::size_t place = 0) const;

  /// The measured loop, of which a function has one: for (auto _ : state) …
  __attribute__((always_inline)) detail::Rounds begin() {
    detail::open(call_, &detail::empty_rounds<State>, 1);
    return detail::Rounds(call_);
  }
  __attribute__((always_inline)) detail::End end() const { return {}; }

  /// The measured loop over fresh values: for (auto& value : state.each(make)) …  `make()` is called for each
  /// execution, and what it returned is destroyed; neither is counted or timed. Values are made some at a time, before
  /// they are needed, and lie beside each other.
  template <typename Make>
  auto each(Make make) {
    using Value = std::decay_t<decltype(make())>;
    detail::open(call_, &detail::empty_each<State, Value>, 1);
    return detail::Each<Value, Make>(call_, std::move(make));
  }

  /// In a loop: what lies between the two is neither counted nor timed. Their own cost is subtracted.
  void pause();
  void resume();

  /// In a loop of a benchmark with manual_time: how long this execution took. Its count is of all of it.
  void set_time(double seconds);

  /// A number to stand beside the measured ones. Added up over threads.
  void counter(const char* name, double value, Per per = Per::run);

  /// The case is not to be measured, for this reason, which is no failure (that is an exception). The loop is not run;
  /// one that has begun must be left.
  void skip(const std::string& reason);

  [[nodiscard]] int thread() const;   ///< From 0.
  [[nodiscard]] int threads() const;  ///< That run this function at once.
  /// Executions of the loop so far, in this process. After the loop: those that what was added up in it is of.
  [[nodiscard]] unsigned long long executions() const;

 private:
  detail::Call* call_;
};

using Function = std::function<void(State&)>;

/// Makes a benchmark known. Its name has neither tabs, line breaks nor "${", and no other one has it. Ends the program
/// with a message (exit code 2) otherwise.
void add_benchmark(const std::string& name, Function function, const Options& options = {});

/// What main() does: it serves `tally` where that has started the program; --list names the benchmarks; anything else
/// runs them here, without counts, with flags and reports as programs of Google Benchmark have them (--help). Returns
/// the exit code; where it served `tally` it ends the process instead.
int bench_main(int argc, char** argv);

/// A type as an argument of a generic function: typename decltype(type)::type.
template <typename T>
struct Type {
  using type = T;
};

namespace detail {

struct Registration {
  Registration(Function function, const char* name, const Options& options) {
    add_benchmark(name, std::move(function), options);
  }
};

/// The texts between commas at the top level of "int, std::pair<int, int>".
std::vector<std::string> split_types(const char* text);

template <typename... Types>
struct TypesRegistration {
  template <typename Generic>
  TypesRegistration(const char* name, const char* types, Generic generic, const Options& options) {
    const std::vector<std::string> texts = split_types(types);
    std::size_t i = 0;
    (add_benchmark(
         std::string(name) + "<" + texts[i++] + ">", [generic](State& state) { generic(Type<Types>(), state); },
         options),
     ...);
  }
};

/// A fixture is made for the case, of the state if it wants to know it.
template <typename Fixture>
void run_fixture(State& state) {
  if constexpr (std::is_constructible_v<Fixture, State&>) {
    Fixture fixture(state);
    fixture.tally_run(state);
  } else {
    Fixture fixture;
    fixture.tally_run(state);
  }
}

}  // namespace detail
}  // namespace tally

#define TALLY_BENCH_JOIN_(a, b) a##b
#define TALLY_BENCH_JOIN(a, b) TALLY_BENCH_JOIN_(a, b)
#define TALLY_BENCH_NAMED(id, name, ...)                                                \
  static void TALLY_BENCH_JOIN(tally_bench_, id)(::tally::State&);                      \
  static const ::tally::detail::Registration TALLY_BENCH_JOIN(tally_registration_, id)( \
      TALLY_BENCH_JOIN(tally_bench_, id), name, ::tally::Options{__VA_ARGS__});         \
  static void TALLY_BENCH_JOIN(tally_bench_, id)
#define TALLY_BENCH_AT(id, ...) TALLY_BENCH_NAMED(id, __VA_ARGS__)

/// TALLY_BENCH("name") (tally::State& state) { … }, or with Options after the name.
#define TALLY_BENCH(...) TALLY_BENCH_AT(__COUNTER__, __VA_ARGS__, )

/// TALLY_BENCH_F(Fixture, "name") (tally::State& state) { … }: the body is a member of a class that derives from
/// Fixture, whose constructor, from a State& or nothing, is the set-up, and its destructor the tear-down.
#define TALLY_BENCH_F(...) TALLY_BENCH_F_AT(__COUNTER__, __VA_ARGS__, )
#define TALLY_BENCH_F_AT(id, ...) TALLY_BENCH_F_NAMED(id, __VA_ARGS__)
#define TALLY_BENCH_F_NAMED(id, fixture, name, ...)                                                             \
  struct TALLY_BENCH_JOIN(tally_fixture_, id) : fixture {                                                       \
    using tally_base = fixture;                                                                                 \
    using tally_base::tally_base;                                                                               \
    void tally_run(::tally::State&);                                                                            \
  };                                                                                                            \
  static const ::tally::detail::Registration TALLY_BENCH_JOIN(tally_registration_, id)(                         \
      ::tally::detail::run_fixture<TALLY_BENCH_JOIN(tally_fixture_, id)>, name, ::tally::Options{__VA_ARGS__}); \
  void TALLY_BENCH_JOIN(tally_fixture_, id)::tally_run

/// TALLY_BENCH_TYPES(function, int, double); makes "function<int>" and "function<double>" of
/// template <typename T> void function(tally::State&).
#define TALLY_BENCH_TYPES(function, ...)                                                                           \
  static const ::tally::detail::TypesRegistration<__VA_ARGS__> TALLY_BENCH_JOIN(tally_registration_, __COUNTER__)( \
      #function, #__VA_ARGS__,                                                                                     \
      [](auto type, ::tally::State& state) { function<typename decltype(type)::type>(state); }, ::tally::Options())

#endif
