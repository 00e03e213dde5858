#!/bin/sh
# `tally init`: what it writes is run, by the command that it prints.
#
#   init_test.sh SOURCE BUILD WORK_FOLDER [PYTHON]
set -eu
source=$1 build=$2 work=$3 python=$4
. "$source/tests/programs/expect.sh"
export XDG_RUNTIME_DIR="$work/none"
rm -rf "$work"
mkdir -p "$work/a suite" "$work/cmake" "$work/python"
passes cmake --install "$build" --prefix "$work/prefix"
ln -s "$python" "$work/python3"
PATH=$work:$work/prefix/bin:$PATH
export PATH TALLY="$work/prefix/bin/tally" PYTHONPATH="$source/python"
cd "$work"
touch cmake/CMakeLists.txt python/pyproject.toml

# By what the project is, with and without a flag.
passes tally init "a suite"
says "wrote a suite/benchmarks/suite.toml"
cp last.txt next_suite
passes tally init cmake
says "wrote cmake/benchmarks/benchmarks.cc"
cp last.txt next_cmake
passes tally init python
says "wrote python/benchmarks/benchmarks.py"
cp last.txt next_python

# The commands as they are printed.
run_next() {
  sed -n 's/^next: //p' "$1" >next.sh
  passes sh -eu next.sh
}
run_next next_suite
says "4 cases: 4 ok"
run_next next_cmake
says "2 cases: 2 ok"
run_next next_python
says "sort 1000 [python]"
# The program's tests are there too.
passes cmake --build cmake/build/benchmarks --target benchmarks_baseline
passes ctest --test-dir cmake/build/benchmarks
says "100% tests passed, 0 tests failed out of 3"

# Nothing is overwritten, and nothing half written.
echo mine >cmake/benchmarks/benchmarks.cc
rm cmake/benchmarks/CMakeLists.txt
fails tally init --cmake cmake
says "tally: error: cmake/benchmarks/benchmarks.cc: is there already, and stays as it is; "
test "$(wc -l <last.txt)" = 1
test "$(cat cmake/benchmarks/benchmarks.cc)" = mine
test ! -e cmake/benchmarks/CMakeLists.txt
fails tally init nowhere
says "nowhere: there is no such folder; "
