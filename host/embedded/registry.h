/// The benchmarks of this program, in the order in which they were made known, and their cases by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tallymark/bench.h"

namespace tally::embedded {

struct Registered {
  std::string name;
  Function function = nullptr;
  std::vector<Axis> args;  ///< Each with a name.
};

/// Also while other static objects are made.
std::vector<Registered>& registry();

/// One benchmark with one value for each argument.
struct Chosen {
  const Registered* benchmark = nullptr;
  std::vector<long long> args;
};

/// "sort/64/1000"; nothing where there is no such benchmark, or not with so many arguments.
std::optional<Chosen> find_case(std::string_view symbol);

/// As protocol/descriptors.h says it.
std::string list_text();

}  // namespace tally::embedded
