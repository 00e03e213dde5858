#!/bin/sh
# A gate for CI: builds the benchmark program at a base commit and here, and lets ctest hold this one to that.
#
#   TALLYMARK=PREFIX gate.sh BASE_COMMIT        in a git checkout of the project; works in build/gate
#
# Exit code 0: every benchmark executes at most 1 % more instructions than at the base. Both are measured on this machine.
set -eu
base=$1
cd "$(dirname "$0")"
here=$(git rev-parse --show-prefix)
work=$PWD/build/gate
rm -rf "$work"
mkdir -p "$work/base"
git archive "$base:$here" | tar -x -C "$work/base"
cmake -S "$work/base" -B "$work/base/build" -DCMAKE_PREFIX_PATH="$TALLYMARK"
cmake --build "$work/base/build"
"$TALLYMARK/bin/tally" run --program "$work/base/build/words_bench" --counts-only --json "$work/base.json"
cmake -S . -B "$work/build" -DCMAKE_PREFIX_PATH="$TALLYMARK" -DWORDS_BASELINE="$work/base.json"
cmake --build "$work/build"
ctest --test-dir "$work/build" --output-on-failure
