#!/bin/sh
# A program of Catch2's is counted without an edit, v2's (with its main() in the same file, by clang) and v3's.
#
#   catch2_test.sh SOURCE BUILD WORK_FOLDER           TALLY_CATCH2: the folder of catch2/catch.hpp, where it is not installed
set -eu
source=$1 build=$2 work=$3
. "$source/tests/programs/frameworks.sh"
rm -rf v2 v3 ./*.json
v2=$(catch2_of_debian) v3=$(catch2_v3)
if [ -z "$v2$v3" ]; then
  echo "skipped: needs catch2 (Debian's package, or v3's source, which could not be fetched)" >&2
  exit 77
fi
tally=$build/tally include=$source/include
ours="-I$include/tallymark/catch2 -I$include"
archive=$build/host/facade/libtallymark_benchmark.a
count() { # VERSION ARGUMENT…
  version=$1
  shift
  fails "$tally" run --program "$version/work" --counts-only --quiet --json "$version.json" "$@" # some are meant to
}
make_program() { # VERSION COMPILER LEVEL OPTION…
  version=$1 compiler=$2 level=$3
  shift 3
  mkdir -p "$version"
  # shellcheck disable=SC2086 # words, one by one
  "$compiler" -std=c++17 "-O$level" -Wall -Wextra -pedantic -Werror $ours "$source/tests/programs/catch2_work.cc" "$@" -pthread \
    -Wl,-z,now -o "$version/work"
  count "$version"
  says "REQUIRE( one == 2 ), which is 1 == 2"
  says "warm_up: as it should"
  says "the benchmark does not call measure()"
  says 'REQUIRE( std::string("a") == "b" )'
  says "a benchmark has one measure(), and this one begins a second one"
}
if [ -n "$v2" ]; then make_program v2 clang++-19 0 $(found_in "$v2") "$archive"; fi
if [ -n "$v3" ]; then make_program v3 g++ 2 -DCATCH2_V3 $(found_in "$v3") "$archive" "$v3/libCatch2.a"; fi
passes python3 - <<'EOT'
import glob
import json
import urllib.parse

records = glob.glob("*.json")
assert records
for path in records:
    cases = {urllib.parse.unquote(one["id"])[len("work/"):-len(" [cpp]")]: one for one in json.load(open(path))["cases"]}
    forms = 'forms, with "odd" \\ [characters]/'
    exact = {
        forms + "empty": 0,
        forms + "nops": 1000,
        forms + "a section/in it/nops": 1000,
        "hidden as a benchmark/nops": 1000,
    }
    # Loops and checks of their own.
    about = {
        forms + "nops, with an index": 1000,
        forms + "advanced": 1000,
        forms + "a section/nops": 2000,
        forms + "another/nops": 1000,
        "sizes/nops of 1": 1000,
        "sizes/nops of 2": 2000,
    }
    # Catch2 comes to these once for each way through the sections.
    again = {forms + name + "#2" for name in ("makes", "empty", "nops", "nops, with an index", "text", "advanced")}
    failing = {"wrong/" + name for name in ("asserts", "throws", "measures nothing", "measures twice")}
    failing.add("fails on its way")
    assert set(cases) == {*exact, *about, *again, *failing, forms + "text", forms + "makes"}, (path, sorted(cases))
    for name, count in exact.items():
        assert cases[name]["counts"]["per_iteration"] == count, (path, cases[name])
    for name, count in about.items():
        assert count <= cases[name]["counts"]["per_iteration"] <= count + 60, (path, cases[name])
    for name in again:
        assert cases[name]["counts"] == cases[name[:-2]]["counts"], (path, name)
    assert {name for name, one in cases.items() if one["status"] == "failed"} == failing, path
EOT

# --- Catch2's own benchmarks, with its headers one by one
if [ -n "$v3" ]; then
  passes cmake -S Catch2-3.7.1 -B configured
  mkdir -p own
  # shellcheck disable=SC2086 # words, one by one
  g++ -std=c++17 -O2 $ours -isystem Catch2-3.7.1/src -isystem configured/generated-includes \
    Catch2-3.7.1/tests/SelfTest/UsageTests/Benchmark.tests.cpp "$archive" "$v3/libCatch2.a" -pthread -Wl,-z,now -o own/own
  passes "$tally" run --program own/own --filter '*Benchmark containers*' --counts-only --quiet
fi

# --- Catch2's own arguments choose the tests; a moved program with another environment counts the same
version=$(basename "$(ls -d v[23] | tail -1)")
cp "$version.json" first.json
passes "$tally" list --program "$version/work" -- "[.]"
says "work/hidden/nops [cpp]"
test "$(wc -l <last.txt)" = 2 # the hidden one, and the one hidden as a benchmark
MORE=$(head -c 3000 /dev/zero | tr '\0' x)
export MORE
count "$version" --keep-env MORE
unset MORE
passes python3 - "$version.json" <<'EOT'
import json
import sys

first, again = ({one["id"]: (one.get("counts") or {}).get("replicates") for one in json.load(open(path))["cases"]}
                for path in ("first.json", sys.argv[1]))
assert first == again, [(name, first[name], again[name]) for name in first if first[name] != again[name]]
EOT
passes "$tally" run --program "$version/work" --filter '*sizes/nops of 1*' --min-run-time 0.05 --json timed.json
passes python3 -c '
import json
(case,) = json.load(open("timed.json"))["cases"]
assert case["wall"]["median_s"] > 0, case'

# --- without tally, it is the program that it was
passes "$version/work" "sizes" --benchmark-samples 5
says "nops of 2"
passes "$version/work" "a test"
fails "$version/work" "fails on its way"
