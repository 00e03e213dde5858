#!/bin/sh
# A program of nanobench's is counted without an edit, and is its own without tally.
#
#   nanobench_test.sh SOURCE BUILD WORK_FOLDER        TALLY_NANOBENCH: the folder of nanobench.h, where it is not installed
set -eu
source=$1 build=$2 work=$3
. "$source/tests/programs/frameworks.sh"
rm -rf g++ clang++-19 edited plain theirs ours ./*.json
folder=$(nanobench)
if [ -z "$folder" ]; then
  echo "skipped: nanobench.h is not there, and TALLY_NANOBENCH names no folder of it" >&2
  exit 77
fi
tally=$build/tally include=$source/include archive=$build/host/facade/libtallymark_benchmark.a
for compiler in g++ clang++-19; do
  mkdir -p "$compiler"
  "$compiler" -std=c++17 -O1 -Wall -Wextra -pedantic -Werror -I"$include/tallymark/nanobench" -I"$include" $(found_in "$folder") \
    "$source/tests/programs/nanobench_work.cc" "$archive" -pthread -Wl,-z,now -o "$compiler/work"
  fails "$tally" run --program "$compiler/work" --counts-only --quiet --json "$compiler.json" # some are meant to
  says "warm_up: as it should"
done
MORE=$(head -c 3000 /dev/zero | tr '\0' x)
export MORE
cp -r g++/work moved
mkdir -p moved_away && mv moved moved_away/work
fails "$tally" run --program moved_away/work --keep-env MORE --counts-only --quiet --json again.json
unset MORE
passes python3 - <<'EOT'
import json

def cases_of(path):
    return {one["id"][len("work/"):-len(" [cpp]")]: one for one in json.load(open(path))["cases"]}

for path in ("g++.json", "clang++-19.json"):
    cases = cases_of(path)
    counts = {name: one["counts"]["per_iteration"] for name, one in cases.items() if one.get("counts")}
    sizes = {name: counts.pop(f"nops of {name}") for name in (1, 2)}
    assert counts == {
        "empty": 0,
        "named": 1000,
        "titled/nops": 1000,
        "titled/nops#2": counts["titled/nops#2"],
        "titled/in a function one": 1000,
        "titled/in a function two": 1000,
        "last": 1000,
    }, (path, counts)
    assert 1000 <= counts["titled/nops#2"] <= 1010, (path, counts)  # what it keeps is computed
    assert all(size * 1000 <= count <= size * 1000 + 20 for size, count in sizes.items()), (path, sizes)
    assert {name for name, one in cases.items() if one["status"] != "ok"} == {"throws"}, path
first, again = ({name: (one.get("counts") or {}).get("replicates") for name, one in cases_of(path).items()}
                for path in ("g++.json", "again.json"))
assert first == again, (first, again)
EOT
passes "$tally" run --program g++/work --filter '*titled/nops [[]*' --min-run-time 0.05 --json timed.json
passes python3 -c '
import json
(case,) = json.load(open("timed.json"))["cases"]
assert case["wall"]["median_s"] > 0, case
assert case["counters"]["byte"] > 0, case  # 100 of them in each execution'

# --- without tally: the table that it had, and its exit code
g++ -std=c++17 -O1 $(found_in "$folder") "$source/tests/programs/nanobench_work.cc" -o plain
# Times vary: what is compared is the shape.
shape() { { "$1" && code=0 || code=$?; echo "exit code $code"; } 2>&1 | sed -E 's/[0-9.,]+//g; s/ +/ /g' | grep -oE '`[a-z ]+`|exit code.*'; }
shape ./plain >plain.txt
shape g++/work >ours.txt
passes cmp plain.txt ours.txt
grep -q '`nops`' ours.txt

# --- one line edited in the place of a folder; wrong places say so
sed 's/#include <nanobench.h>/#include <tallymark\/nanobench.h>/' "$source/tests/programs/nanobench_work.cc" >edited.cc
g++ -std=c++17 -O1 -I"$include" $(found_in "$folder") edited.cc "$archive" -pthread -Wl,-z,now -o edited
passes "$tally" list --program edited
says "edited/titled/nops#2 [cpp]"
# --- a source that finds it in a folder: a file of that name before it
mkdir -p theirs/third-party ours/third-party
cp "$folder/nanobench.h" theirs/third-party
sed -n '/^#ifndef TALLYMARK_NANOBENCH_H$/,/^#endif$/p' "$source/docs/guides/programs.md" >ours/third-party/nanobench.h
sed 's/#include <nanobench.h>/#include <third-party\/nanobench.h>/' "$source/tests/programs/nanobench_work.cc" >edited.cc
g++ -std=c++17 -O1 -Iours -Itheirs -I"$include" edited.cc "$archive" -pthread -Wl,-z,now -o edited
passes "$tally" list --program edited
says "edited/titled/nops#2 [cpp]"
sed 's/#include <nanobench.h>/&\n#include <tallymark\/nanobench.h>/' "$source/tests/programs/nanobench_work.cc" >edited.cc
fails g++ -std=c++17 -fsyntax-only -I"$include" $(found_in "$folder") edited.cc
says "include <tallymark/nanobench.h> in the place of <nanobench.h>, not after it"
