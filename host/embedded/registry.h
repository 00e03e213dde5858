/// The benchmarks of this program, in the order in which they were made known, and their cases by name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "call.h"

namespace tally::embedded {

/// The values of one argument, or of several that go together: {"n", {{64}, {1000}}}, {"args", {{8, 1}, {64, 2}}}.
struct Axis {
  std::string name;
  std::vector<std::vector<std::int64_t>> values;
};

struct Benchmark {
  std::string name;
  std::function<void(detail::Call&)> function;
  std::vector<Axis> axes;          ///< One case for each combination.
  std::vector<int> threads = {1};  ///< And for each of these.
  std::uint64_t iterations = 0;    ///< In each call of the function; 0: as many as are requested.
  bool manual_time = false;        ///< The function says how long it took.
  /// The empty loop of a function that has to be called again for each region. Null: one call has all regions, and
  /// shows its own.
  detail::Empty empty_loop = nullptr;
  std::string label = {};  ///< Of its cases where the function itself sets none.
  /// Before and after each call of the function, in one thread, with the arguments and the number of threads. May be
  /// empty.
  std::function<void(const std::vector<std::int64_t>&, int)> set_up = {};
  std::function<void(const std::vector<std::int64_t>&, int)> tear_down = {};
};

/// Also while other static objects are made.
std::vector<Benchmark>& registry();

/// Ends the program with a message (exit code 2) where a name cannot be one or is taken.
void add(Benchmark benchmark);

/// A name as it may be: without outer blanks, a blank for each control character, "{" for "${"; "unnamed" if none is
/// left. Of one that may be so, nothing is allocated: a heap that moved would change counts.
void make_allowed(std::string& name);

/// Of another framework's, which allows more: under its allowed name, or "name#2" and so on where that is taken.
/// `nth`: of those with this name, if that is known. Returns the name, until another one is added.
const std::string& add_foreign(Benchmark benchmark, int nth = 1);

/// One benchmark with one value for each argument.
struct Chosen {
  const Benchmark* benchmark = nullptr;
  std::vector<std::int64_t> args;
};

/// "sort/64/1000"; nothing where there is no such benchmark, or not with so many arguments.
std::optional<Chosen> find_case(std::string_view symbol);

/// "f (call 2)": what a program would run in a further call is listed under such a name. It is not served.
inline constexpr std::string_view kOfFurtherCall = " (call ";
/// Of the first call a name stays as it is, and nothing is allocated.
void add_call(std::string& name, int call);

/// As protocol/descriptors.h says it; or what comes after so many that are written already.
std::string list_text(std::optional<std::size_t> written = {});

}  // namespace tally::embedded
