#!/bin/sh
# A program with Google Benchmark linked statically, as its own build makes it: read as the same program with the shared
# library is. Debian has no static one, so its source is fetched once and built.
#
#   static_test.sh SOURCE BUILD WORK_FOLDER
set -eu
source=$1 build=$2 work=$3
. "$source/tests/programs/expect.sh"
export XDG_RUNTIME_DIR="$work/none" # no server of the developer's
mkdir -p "$work"
cd "$work"
release=1.7.1
archive=benchmark_$release.orig.tar.gz
digest=6430e4092653380d9dc4ccb45a1e2dc9259d581f4866dc0759713126056bc1d7
if ! echo "$digest  $archive" | sha256sum --check --status 2>/dev/null; then
  if ! python3 -c "import sys, urllib.request as u; u.urlretrieve(*sys.argv[1:])" \
    "http://deb.debian.org/debian/pool/main/b/benchmark/$archive" "$archive" ||
    ! echo "$digest  $archive" | sha256sum --check --status; then
    echo "skipped: Google Benchmark's source could not be fetched" >&2
    exit 77
  fi
fi
make_library() { # FILE COMPILER OPTION…
  file=$1
  shift
  if [ -e "$file" ]; then return; fi
  rm -rf objects
  tar -xf "$archive"
  mkdir -p objects
  find "benchmark-$release/src" -name '*.cc' ! -name benchmark_main.cc -print0 |
    (cd objects && xargs -0 -P 2 -I{} "$@" -std=c++17 -O2 -DNDEBUG -DHAVE_STD_REGEX -DHAVE_STEADY_CLOCK \
      -I"../benchmark-$release/include" -c "../{}")
  ar rcs "$file" objects/*.o
}
make_library libbenchmark.a g++
tally=$build/tally
make_program() { # NAME LINK_OPTION…
  name=$1
  shift
  mkdir -p "$name"
  g++ -std=c++17 -O2 -DNDEBUG -I"benchmark-$release/include" "$source/tests/programs/$program.cc" "$@" -o "$name/bench"
}
program=google_manual make_program manual libbenchmark.a
program=google_built
make_program shared -lbenchmark
make_program static libbenchmark.a
# LLVM's standard library gives the same functions other names, and lays texts out in another way.
libcxx=
if echo '#include <string>' | clang++-19 -stdlib=libc++ -x c++ -fsyntax-only - 2>/dev/null; then
  libcxx=libcxx
  make_library libbenchmark-libcxx.a clang++-19 -stdlib=libc++
  mkdir -p libcxx
  clang++-19 -stdlib=libc++ -std=c++17 -O2 -DNDEBUG -I"benchmark-$release/include" "$source/tests/programs/google_built.cc" \
    libbenchmark-libcxx.a -pthread -o libcxx/bench
else
  echo "libc++ is not there: the others are counted" >&2
fi
for name in shared static $libcxx; do
  fails "$tally" run --program "$name/bench" --counts-only --quiet --json "$name.json" # some of it is meant to fail
done
passes "$tally" run --program static/bench --filter '*/range_for*' --filter '*/pauses*' --min-run-time 0.05 --json timed.json
passes "$tally" run --program manual/bench --filter 'bench/manual*' --min-run-time 0.05 --json manual.json
fails env MORE="$(head -c 3000 /dev/zero | tr '\0' x)" "$tally" run --program static/bench --keep-env MORE --counts-only \
  --quiet --json again.json
passes python3 - <<'EOF'
import json
import os

def counts(path, figure):
    cases = json.load(open(path))["cases"]
    return {one["id"]: one["counts"][figure] for one in cases if one.get("counts")}

# A region's two ends are in both of a case's calls: of one benchmark they are 4 instructions longer in the static program.
shared, static = (counts(f"{name}.json", "per_iteration") for name in ("shared", "static"))
assert len(static) == 16, static
assert static == shared, (static, shared)
totals, again = (counts(f"{name}.json", "replicates") for name in ("static", "again"))
assert totals == again, (totals, again)
if os.path.exists("libcxx.json"):
    libcxx = counts("libcxx.json", "per_iteration")
    assert libcxx.keys() == static.keys(), libcxx
    assert all(999 <= libcxx[name] <= 1016 for name in static if 999 <= static[name] <= 1016), libcxx
    noted = {one["id"]: one.get("counters") for one in json.load(open("libcxx.json"))["cases"]}
    assert noted["bench/reports_counters [cpp]"] == {"k": 1, "a counter whose name is long": 2}, noted
    failed = {one["id"]: one["failure"]["message"] for one in json.load(open("libcxx.json"))["cases"] if one["failure"]}
    assert failed["bench/errs [cpp]"] == "no such file", failed
for one in json.load(open("manual.json"))["cases"]:
    assert abs(one["wall"]["median_s"] - 0.25) < 1e-6, one
for one in json.load(open("timed.json"))["cases"]:
    assert one["wall"]["median_s"] > 0, one
EOF

# --- what cannot be taken over says what would help
make_program stripped libbenchmark.a -s
fails "$tally" list --program stripped/bench
says "it has lost its symbol table; link it without -s"
make_program alone libbenchmark.a -static
fails "$tally" list --program alone/bench
says "it is wholly static; link it without -static"
fails "$tally" list --program .
says "is a folder"
fails "$tally" list --program "$archive"
says "is not executable"
