#!/bin/sh
# The package as a user has it: installed, found by CMake, its example built and counted.
#
#   install_test.sh SOURCE BUILD WORK_FOLDER
set -eu
source=$1 build=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
cmake -S "$source/examples/program" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/configure.log"
cmake --build "$work/build" >"$work/build.log" || { cat "$work/build.log" >&2; exit 1; }
"$work/prefix/bin/tally" run --program "$work/build/words_bench" --counts-only --json "$work/record.json"
grep -q '"words_bench/count \[cpp words=1000\]"' "$work/record.json"
# The same by its suite, beside statements.
cp "$source/examples/program/suite.toml" "$work/suite.toml"
"$work/prefix/bin/tally" run "$work/suite.toml" --counts-only --json "$work/suite.json"
grep -q '"words_bench/count \[cpp words=1000\]"' "$work/suite.json"
grep -q '"words/str.split \[python words=1000\]"' "$work/suite.json"
