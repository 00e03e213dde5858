#!/bin/sh
# A library that lies where the program's run path says, relative to the program ($ORIGIN), is found there, and wherever
# both are moved the program reads the same.
#
#   origin_test.sh SOURCE BUILD WORK_FOLDER
set -eu
source=$1 build=$2 work=$3
. "$source/tests/programs/expect.sh"
export XDG_RUNTIME_DIR="$work/none" # no server of the developer's
if ! [ -e /usr/include/benchmark/benchmark.h ]; then
  echo "skipped: needs libbenchmark-dev" >&2
  exit 77
fi
rm -rf "$work"
mkdir -p "$work"
cd "$work"
tally=$build/tally
mkdir -p installed/bin installed/lib
echo 'int work(int n) { return n + 1; }' >work.cc
g++ -O2 -fPIC -shared work.cc -o installed/lib/libwork.so
cat >works.cc <<'EOF'
#include <benchmark/benchmark.h>
int work(int n);
static void works(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(work(1));
}
BENCHMARK(works);
BENCHMARK_MAIN();
EOF
g++ -std=c++17 -O2 works.cc -o installed/bin/works -lbenchmark -lpthread -Linstalled/lib -lwork -Wl,-rpath,'$ORIGIN/../lib'
passes "$tally" run --program installed/bin/works --counts-only --quiet --json here.json
mkdir -p moved/to/a/folder/of/some/depth
cp -r installed moved/to/a/folder/of/some/depth
passes "$tally" run --program moved/to/a/folder/of/some/depth/installed/bin/works --counts-only --quiet --json there.json
passes python3 - <<'EOF'
import json

here, there = (json.load(open(f"{name}.json"))["cases"][0]["counts"] for name in ("here", "there"))
assert here["replicates"] == there["replicates"], (here, there)
EOF
