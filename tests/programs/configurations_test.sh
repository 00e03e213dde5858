#!/bin/sh
# tally_discover_benchmarks where a build has several configurations: ctest that was given none fails, and says what to
# give.
#
#   configurations_test.sh SOURCE TALLY WORK_FOLDER
set -eu
source=$1 tally=$2 work=$3
. "$source/tests/programs/expect.sh"
rm -rf "$work"
mkdir -p "$work"
echo 'int main() {}' >"$work/bench.cc"
cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(consumer CXX)
enable_testing()
include(${TALLYMARK}/cmake/TallymarkDiscover.cmake)
foreach(name one two)
  add_executable(${name} bench.cc)
  tally_discover_benchmarks(${name})
endforeach()
END
passes cmake -G "Ninja Multi-Config" -S "$work" -B "$work/build" -DTALLYMARK="$source" -DTALLY_EXECUTABLE="$tally"
fails ctest --test-dir "$work/build" --output-on-failure
says "0% tests passed, 2 tests failed out of 2"
says "two: no benchmark is measured, for ctest does not know which configuration is meant: give ctest -C CONFIG, one of"
says "Debug, Release, RelWithDebInfo"
fails ctest --test-dir "$work/build" --output-on-failure -C Nowhere
says "give ctest -C CONFIG"
fails ctest --test-dir "$work/build" --output-on-failure -C Release
says "one: $work/build/Release/one is not built"
