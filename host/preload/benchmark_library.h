/// What is requested of Google Benchmark itself, under its own names: a list, flags, runs.
///
/// Needs library.h's take_over() before. A function that this release of the library does not have ends the process.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "library.h"

namespace tally::preload {

/// Calls the library's own function.
template <typename Result, typename... Parameters>
Result real(const char* name, Parameters... parameters) {
  void* const found = find(name);
  if (found == nullptr) {
    std::fprintf(stderr,
                 "tallymark: this release of Google Benchmark has no %s: build the program with tallymark::benchmark\n",
                 name);
    std::exit(2);
  }
  const Untaken untaken(found);
  return reinterpret_cast<Result (*)(Parameters...)>(found)(parameters...);
}

/// What the library prints for --benchmark_list_tests.
std::string list_of_names();

/// From now on a run is of one execution, as far as the library decides that.
void run_shortest();

/// Runs the benchmarks of this name, all of them, and reports nothing.
void run_named(const std::string& name);
/// Out of such a run, whatever of the library is in between.
[[noreturn]] void end_run();

}  // namespace tally::preload
