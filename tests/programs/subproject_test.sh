#!/bin/sh
# Tallymark inside another project (FetchContent, and so add_subdirectory): the library of benchmark programs and nothing
# else, with a C++17 project's own compiler, and without the packages that tally itself needs.
#
#   subproject_test.sh SOURCE TALLY WORK_FOLDER
set -eu
source=$1 tally=$2 work=$3
. "$source/tests/programs/expect.sh"
export XDG_RUNTIME_DIR="$work/none"
rm -rf "$work"
mkdir -p "$work"
cp -r "$source/examples/program/bench" "$source/examples/program/src" "$source/examples/program/include" "$work"
cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(consumer CXX)
set(CMAKE_CXX_STANDARD 17)
# What tally itself looks for is not found here.
foreach(name fmt CLI11 nlohmann_json simdjson GTest ZLIB Python3)
  set(CMAKE_DISABLE_FIND_PACKAGE_${name} TRUE)
endforeach()
include(CTest)
include(FetchContent)
FetchContent_Declare(tallymark SOURCE_DIR ${TALLYMARK})
FetchContent_MakeAvailable(tallymark)
add_executable(words_bench bench/words_bench.cc src/words.cc)
target_include_directories(words_bench PRIVATE include)
target_link_libraries(words_bench PRIVATE tallymark::bench)
if(CMAKE_CXX_STANDARD EQUAL 17)
  tally_discover_benchmarks(words_bench BASELINE base/words.json FILTER words=10 PROPERTIES LABELS counted)
endif()
END
passes cmake -S "$work" -B "$work/build" -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Release -DTALLYMARK="$source" -DTALLY_EXECUTABLE="$tally"
passes cmake --build "$work/build"
if find "$work/build" -name 'tally*' -type f -perm -u=x | grep .; then
  echo "a subproject built more than the library" >&2
  exit 1
fi
# Nothing of it comes into the project's own installation.
passes cmake --install "$work/build" --prefix "$work/prefix"
if find "$work/prefix" -type f 2>/dev/null | grep .; then exit 1; fi
passes cmake --build "$work/build" --target words_bench_baseline
test -s "$work/base/words.json"
passes ctest --test-dir "$work/build" -j 2 -L counted
says "words_bench/count [cpp words=10]"
says "100% tests passed, 0 tests failed out of 2"
