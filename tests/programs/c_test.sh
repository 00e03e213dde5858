#!/bin/sh
# Benchmark programs in C: known work reads what it is, with gcc and clang at every level of optimisation; what is wrong
# says so.
#
#   c_test.sh SOURCE BUILD WORK_FOLDER
set -eu
source=$1 build=$2 work=$3
. "$source/tests/programs/expect.sh"
export XDG_RUNTIME_DIR="$work/none" # no server of the developer's
rm -rf "$work"
mkdir -p "$work"
cd "$work"
tally=$build/tally
strict="-Wall -Wextra -Wconversion -pedantic -Werror -I$source/include"
for compiler in gcc clang-19; do
  for level in 0 1 2 3; do
    mkdir -p "$compiler$level"
    # shellcheck disable=SC2086 # words, one by one
    $compiler -std=c99 $strict -O$level "$source/tests/programs/c_work.c" \
      "$build/host/embedded/libtallymark_bench.a" -lstdc++ -lm -pthread -Wl,-z,now -o "$compiler$level/c"
    fails "$tally" run --program "$compiler$level/c" --counts-only --quiet --json "$compiler$level.json" # some are meant to
  done
done
says "setup: as it should"
says "tally_arg(state, 0): the benchmark has 0 arguments"
says "skipped by itself: has nothing to do"
passes python3 - <<'EOT'
import glob
import json

records = sorted(glob.glob("*.json"))
assert len(records) == 8, records
for path in records:
    cases = {one["id"]: one for one in json.load(open(path))["cases"]}
    counts = {name[2:-6]: one["counts"]["per_iteration"] for name, one in cases.items() if one.get("counts") and name.endswith("[cpp]")}
    assert counts["empty"] == 0, (path, counts)
    for name in ("thousand nops", "pauses", "by code"):
        assert counts[name] == 1000, (path, name, counts)
    assert counts["threads"] == 100000, (path, counts)
    assert cases["c/threads [cpp threads=2]"]["counts"]["per_iteration"] == 200000, path
    assert 1000 <= counts["continues"] <= 1001, (path, counts)  # a jump of its own, at -O0
    # Their bodies are more: a counter of their own, a call.
    assert 1000 <= counts["seven at once"] <= 1010, (path, counts)
    assert 1000 <= counts["manual"] <= 1020, (path, counts)
    arguments = [one for name, one in cases.items() if name.startswith("c/arguments")]
    assert [one["counts"]["per_iteration"] for one in arguments] == [1000] * 4, (path, arguments)
    assert [one["counters"]["answer"] for one in arguments] == [64, 64, 1000, 1000], (path, arguments)
    failed = {name for name, one in cases.items() if one["status"] == "failed"}
    assert failed == {f"c/{name} [cpp]" for name in ("fails", "no such argument", "leaves", "no loop")}, (path, failed)
    assert cases["c/skips [cpp]"]["status"] == "skipped", path
EOT

# --- times, and the program by itself
passes "$tally" run --program gcc2/c --filter 'c/thousand nops*' --filter 'c/manual*' --min-run-time 0.05 --json timed.json
passes python3 -c '
import json
cases = {one["id"]: one for one in json.load(open("timed.json"))["cases"]}
assert cases["c/manual [cpp]"]["wall"]["median_s"] == 0.25, cases
assert cases["c/thousand nops [cpp]"]["wall"]["median_s"] > 0, cases'
passes gcc2/c --list
says "by code"
passes gcc2/c --benchmark_filter='by code' --benchmark_min_time=0.01
says "by code"

# --- bad use is one clear error
reads() { # LANGUAGE STANDARD COMPILER
  echo '#include <tallymark/bench_c.h>' | fails "$3" -x "$1" -std="$2" -I"$source/include" -fsyntax-only -
}
for compiler in gcc clang-19; do
  reads c++ c++17 $compiler
  says "is for C: C++ programs include <tallymark/bench.h>"
  reads c c89 $compiler
  says "tallymark needs C99 or newer: compile with -std=c99"
done
cat >twice.c <<'EOT'
#include <tallymark/bench_c.h>
TALLY_BENCH("one")(tally_state* state) { TALLY_LOOP(state) {} }
TALLY_BENCH("one")(tally_state* state) { TALLY_LOOP(state) {} }
EOT
# shellcheck disable=SC2086
gcc $strict twice.c "$build/host/embedded/libtallymark_bench.a" -lstdc++ -lm -pthread -o twice
fails ./twice
says "benchmark 'one' is defined twice: give one of them another name"
