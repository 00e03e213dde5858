#!/bin/sh
# The package as a user has it: installed, moved, found by CMake and by pkg-config; its example built, counted, and gated
# by ctest.
#
#   install_test.sh SOURCE BUILD WORK_FOLDER
set -eu
source=$1 build=$2 work=$3
. "$source/tests/programs/expect.sh"
export XDG_RUNTIME_DIR="$work/none" # no server of the developer's
rm -rf "$work"
mkdir -p "$work"
passes cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/prefix" # relocatable
cp -r "$source/examples/program" "$work/words"
make_example() { # [CMAKE OPTION…]
  passes cmake -S "$work/words" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" "$@"
  passes cmake --build "$work/build"
}
make_example
"$work/prefix/bin/tally" run --program "$work/build/words_bench" --counts-only --json "$work/record.json"
grep -q '"words_bench/count \[cpp words=1000\]"' "$work/record.json"
# The same by its suite, beside statements.
cp "$source/examples/program/suite.toml" "$work/suite.toml"
"$work/prefix/bin/tally" run "$work/suite.toml" --counts-only --json "$work/suite.json"
grep -q '"words_bench/count \[cpp words=1000\]"' "$work/suite.json"
grep -q '"words/str.split \[python words=1000\]"' "$work/suite.json"

# --- pkg-config, with the compiler alone
if command -v pkg-config >/dev/null; then
  PKG_CONFIG_PATH="$work/prefix/lib/pkgconfig"
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046 # words, one by one
  c++ -std=c++17 -O2 -I"$work/words/include" "$work"/words/bench/words_bench.cc "$work"/words/src/*.cc \
    $(pkg-config --cflags --libs tallymark-bench) -o "$work/by_hand"
  "$work/prefix/bin/tally" list --program "$work/by_hand" | grep -qx 'by_hand/count \[cpp words=10\]'
fi

# --- ctest: no baseline is no pass, and says what to type
gate() { ctest --test-dir "$work/build" -j 4 --output-on-failure; }
fails gate
says "there is no baseline $work/words/words_bench.baseline.json yet"
says "--target words_bench_baseline"
passes cmake --build "$work/build" --target words_bench_baseline
passes gate
says "words_bench/count [cpp words=10]"
says "100% tests passed, 0 tests failed out of 3"
# The same program counts the same: a limit of nothing holds.
sed -i 's/LIMIT +1%/LIMIT +0%/' "$work/words/CMakeLists.txt"
make_example
passes gate

# --- a regression is found, and only where it is beyond the limit: +14 %, and +1.9 % of the short text
sed -i 's/LIMIT +0%/LIMIT +5%/' "$work/words/CMakeLists.txt"
sed -i 's/bool inside = false;/& for (volatile int i = text.size() > 100 ? 1000 : 0; i > 0; i = i - 1) {}/' "$work/words/src/words.cc"
make_example
fails gate
says "instructions +"
says "67% tests passed, 1 tests failed out of 3"

# --- a case that is gone, and a new one, are no pass
cp "$source/examples/program/src/words.cc" "$work/words/src/words.cc"
sed -i 's/10, 1000/10, 20/' "$work/words/bench/words_bench.cc"
make_example
fails gate
says "the baseline has no case 'words_bench/count [cpp words=20]'"
says "50% tests passed, 2 tests failed out of 4"
sed -i 's/10, 20/10, 1000/' "$work/words/bench/words_bench.cc"

# --- without Valgrind it counts all the same; without tally it fails
make_example
passes env PATH=/nowhere "$(command -v ctest)" --test-dir "$work/build" --output-on-failure
make_example -DTALLY_EXECUTABLE=/nowhere/tally
fails gate
says "the command tally is not found: install it, or configure with -DTALLY_EXECUTABLE=/path/to/tally"
