#!/bin/sh
# One body reads the same number whatever its program was written for: <tallymark/bench.h>, C, Google Benchmark, Catch2
# (v2, v3), nanobench. With g++ and clang.
#
#   doors_test.sh SOURCE BUILD WORK_FOLDER
#
# TALLY_CATCH2 and TALLY_NANOBENCH name folders of catch2/catch.hpp and nanobench.h, where they are not installed.
set -eu
source=$1 build=$2 work=$3
. "$source/tests/programs/frameworks.sh"
rm -rf programs ./*.json
v2=$(catch2_of_debian) v3=$(catch2_v3) nanobench=$(nanobench)
include=$source/include doors=$source/tests/programs/doors
bench=$build/host/embedded/libtallymark_bench.a benchmark=$build/host/facade/libtallymark_benchmark.a

counts() { # PROGRAM
  passes "$build/tally" run --program "programs/$1" --counts-only --quiet --json "$1.json"
}
door() { # NAME COMPILER LEVEL SOURCE OPTION…
  name=$1-$2-$3
  compiler=$2
  what=$4
  level=$3
  shift 4
  # Warnings are errors in what is ours, and others' headers are theirs.
  "$compiler" "-O$level" -Wall -Wextra -pedantic -Werror "$doors/$what" -x none "body-$compiler-$level.o" -I"$include" "$@" -pthread \
    -Wl,-z,now -o "programs/$name"
  counts "$name"
}
mkdir programs
for compilers in g++:gcc:0:2 clang++-19:clang-19:2; do
  IFS=: read -r cxx cc levels <<EOT
$compilers
EOT
  for level in $(echo "$levels" | tr : ' '); do
    "$cc" -std=c99 -O2 -c "$doors/body.c" -o "body-$cxx-$level.o"
    cp "body-$cxx-$level.o" "body-$cc-$level.o"
    door tallymark "$cxx" $level tallymark.cc -std=c++17 "$bench"
    door google "$cxx" $level google.cc -std=c++17 -I"$include/tallymark/google" "$benchmark"
    door c "$cc" $level c.c -std=c99 "$bench" -lstdc++ -lm
    if [ -n "$v2" ]; then
      door catch2v2 "$cxx" $level catch2.cc -std=c++17 -I"$include/tallymark/catch2" $(found_in "$v2") \
        "$(catch2_v2_main "$v2")" "$benchmark"
    fi
    if [ -n "$v3" ]; then
      door catch2v3 "$cxx" $level catch2.cc -std=c++17 -DCATCH2_V3 -I"$include/tallymark/catch2" $(found_in "$v3") "$benchmark" \
        "$v3/libCatch2.a"
    fi
    if [ -n "$nanobench" ]; then
      door nanobench "$cxx" $level nanobench.cc -std=c++17 -I"$include/tallymark/nanobench" $(found_in "$nanobench") \
        "$benchmark"
    fi
  done
done
python3 - <<'EOT'
import glob
import json

read = {}
for path in glob.glob("*.json"):
    door, _, build = path[:-5].replace("clang++-19", "clang").replace("clang-19", "clang").replace("g++", "gcc").partition("-")
    for one in json.load(open(path))["cases"]:
        name = one["id"].split("/")[-1].removesuffix(" [cpp]")
        read.setdefault(build, {}).setdefault(name, {})[door] = one["counts"]["per_iteration"]
for build, bodies in sorted(read.items()):
    for name, doors in bodies.items():
        print(build, name, doors)
for build, bodies in read.items():
    assert set(bodies["empty"].values()) == {0}, (build, bodies)
    assert set(bodies["nops"].values()) == {1000}, (build, bodies)
    optimised = not build.endswith("-0")
    # Not optimised, what keeps a result, and a library's own wrappers, are code, too. Optimised, a part of an instruction is what begins a region; Google Benchmark's keeps by another constraint.
    sorts = bodies["sort"].values()
    assert max(sorts) - min(sorts) <= (1.02 if optimised else 40), (build, bodies)
    for name, exact in (("advanced nops", 1000), ("advanced sort", bodies["sort"]["tallymark"])):
        # Catch2's own loop stores a number that is returned.
        for value in bodies.get(name, {}).values():
            assert exact - 0.02 <= value <= exact + (2.02 if optimised else 40), (build, name, bodies)
EOT
if [ -z "$nanobench" ]; then echo "nanobench.h is not there (TALLY_NANOBENCH): the others are equal" >&2; fi
if [ -z "$v2" ] || [ -z "$v3" ]; then
  echo "skipped: not both of Catch2's versions are there; the others are equal" >&2
  exit 77
fi
