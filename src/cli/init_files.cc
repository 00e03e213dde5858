#include "cli/init_files.h"

namespace tally::cli {
namespace {

constexpr const char* kSuite = R"toml(# A suite: statements whose instructions are counted, and which are timed.
#
#     tally run benchmarks/suite.toml --json old.json      # measure
#     tally compare old.json new.json                      # what has changed
schema = 1

[[benchmark]]
label = ["Sort", "random numbers"]
setup = { py = "import random; random.seed(1); v = [random.random() for _ in range(${n})]", cpp = "std::mt19937 random(1); std::vector<unsigned> v(${n}); for (auto& x : v) x = random();" }
py = "sorted(v)"
cpp = "auto c = v; std::sort(c.begin(), c.end()); tally::keep(c.data());"
params = { n = [10, 1000] }
)toml";

constexpr const char* kCMake =
    R"cmake(# The project's benchmarks. Alone, or in the project by add_subdirectory(benchmarks).
cmake_minimum_required(VERSION 3.20)
project(benchmarks CXX)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)  # what is measured should be optimised
endif()
find_package(tallymark REQUIRED)

add_executable(benchmarks benchmarks.cc)
target_compile_features(benchmarks PRIVATE cxx_std_17)
target_link_libraries(benchmarks PRIVATE tallymark::bench)  # and your library

# Each benchmark is a test: at most 1 % more instructions than in benchmarks.baseline.json, which the target
# benchmarks_baseline measures.
include(CTest)
if(BUILD_TESTING)
  tally_discover_benchmarks(benchmarks LIMIT +1%)
endif()
)cmake";

// (clang-format would format the text by its delimiter, were that "cc".)
constexpr const char* kProgram = R"program(#include <tallymark/bench.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

TALLY_BENCH("sort", tally::args({{"n", {10, 1000}}}))(tally::State& state) {
  std::mt19937 random(1);
  std::vector<unsigned> in(static_cast<std::size_t>(state.arg(0)));  // once, not measured
  for (unsigned& x : in) x = static_cast<unsigned>(random());
  for (auto _ : state) {  // measured
    std::vector<unsigned> v = in;
    std::sort(v.begin(), v.end());
    tally::keep(v);
  }
}
)program";

constexpr const char* kCommands =
    R"toml(# A suite of whole commands: the instructions, the time and the memory of all of their processes.
#
#     tally run benchmarks/commands.toml --json old.json      # measure
#     tally compare old.json new.json                         # what has changed
schema = 1

[[command]]
label = "list"
run = ["ls", "-l"]             # no shell reads it; relative paths are from this suite's folder

[[command]]
label = ["pack", "${level}"]
run = ["gzip", "-c", "-${level}", "commands.toml"]
params = { level = [1, 9] }
)toml";

constexpr const char* kPython = R"py("""The project's benchmarks: instructions are counted exactly, and times taken.

python3 benchmarks/benchmarks.py [RECORD.json]    two records: tally compare old.json new.json
"""

import random
import sys

import tallymark

random.seed(1)
suite = tallymark.Suite()
for n in (10, 1000):
    suite.add(sorted, [random.random() for _ in range(n)], label=f"sort {n}")

if __name__ == "__main__":
    results = suite.run()
    print(results)
    if len(sys.argv) > 1:
        results.save(sys.argv[1])
    sys.exit(1 if results.failed else 0)
)py";

}  // namespace

std::vector<StarterFile> starter_files(Starter kind) {
  switch (kind) {
    case Starter::cmake:
      return {{"benchmarks/CMakeLists.txt", kCMake}, {"benchmarks/benchmarks.cc", kProgram}};
    case Starter::python:
      return {{"benchmarks/benchmarks.py", kPython}};
    case Starter::command:
      return {{"benchmarks/commands.toml", kCommands}};
    case Starter::suite:
      break;
  }
  return {{"benchmarks/suite.toml", kSuite}};
}

}  // namespace tally::cli
