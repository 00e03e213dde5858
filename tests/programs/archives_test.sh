#!/bin/sh
# What users link leaves their programs' standard library alone: no archive defines a symbol of it.
#
#   archives_test.sh SOURCE BUILT FOLDER
set -eu
built=$2
folder=$3
mkdir -p "$folder"
for archive in embedded/libtallymark_bench.a facade/libtallymark_benchmark.a facade/libtallymark_benchmark_main.a; do
  nm -C --defined-only "$built/host/$archive" >"$folder/symbols"
  # Capital letters: seen by the linker; u: one for the whole process.
  if grep -E '^[0-9a-f]* [A-Zu] (((guard|reference temporary|construction vtable|vtable|typeinfo|typeinfo name|VTT) .*)?|[^(]* )(std|__gnu_cxx)::' \
    "$folder/symbols"; then
    echo "archives_test: $archive defines what is the standard library's" >&2
    exit 1
  fi
  echo "$archive: $(wc -l <"$folder/symbols") symbols"
done

# The language that is missing is said once, and not by thirty errors from within our headers.
echo '#include <benchmark/benchmark.h>
static void f(benchmark::State& state) { for (auto _ : state) {} }
BENCHMARK(f);' >"$folder/old.cc"
for compiler in g++ clang++-19; do
  if $compiler -std=c++14 -fsyntax-only -I "$1/include/tallymark/google" -I "$1/include" "$folder/old.cc" 2>"$folder/errors"; then
    echo "archives_test: $compiler -std=c++14 takes it" >&2
    exit 1
  fi
  grep -q 'tallymark needs C++17 or newer' "$folder/errors"
  test "$(grep -c 'error: ' "$folder/errors")" = 2
done
