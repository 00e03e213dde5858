#!/bin/sh
# A program that registers a benchmark for processors that Valgrind does not show: its count fails and says so, and its
# times are taken.
#
#   processor_test.sh SOURCE BUILD WORK_FOLDER
set -eu
source=$1 build=$2 work=$3
. "$source/tests/programs/expect.sh"
export XDG_RUNTIME_DIR="$work/none" # no server of the developer's
rm -rf "$work"
mkdir -p "$work"
cd "$work"
cat >bench.cc <<'EOC'
#include <cpuid.h>
#include <cstring>
#include <tallymark/bench.h>

static void work(tally::State& state) {
  for (auto _ : state) asm volatile("nop");
}

// The processor that Valgrind shows has one name everywhere.
static bool is_real() {
  unsigned name[12] = {};
  for (unsigned i = 0; i < 3; ++i)
    __get_cpuid(0x80000002 + i, name + 4 * i, name + 4 * i + 1, name + 4 * i + 2, name + 4 * i + 3);
  return std::strstr(reinterpret_cast<const char*>(name), "i7-4910MQ") == nullptr &&
         std::strstr(reinterpret_cast<const char*>(name), "i5-2520M") == nullptr &&
         std::strstr(reinterpret_cast<const char*>(name), "Opteron") == nullptr;
}

int main(int count, char** arguments) {
  tally::add_benchmark("any", work, {});
  if (is_real()) tally::add_benchmark("newer", work, {});
  return tally::bench_main(count, arguments);
}
EOC
g++ -O2 -std=c++17 -I"$source/include" bench.cc "$build/host/embedded/libtallymark_bench.a" -o bench -pthread
fails "$build/tally" run --program ./bench --counts-only
says "it does not register this benchmark where it is counted"
says "Valgrind shows a processor without AVX-512"
passes "$build/tally" run --program ./bench --counts-only --filter any
passes "$build/tally" run --program ./bench --wall-only --max-run-time 0.1
