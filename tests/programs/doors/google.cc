#include <benchmark/benchmark.h>

#include "body.h"

static void empty(benchmark::State& state) {
  for (auto _ : state) {
  }
}
BENCHMARK(empty);
static void nops(benchmark::State& state) {
  for (auto _ : state) THOUSAND_NOPS;
}
BENCHMARK(nops);
static void sort(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sorted_median(64));
}
BENCHMARK(sort);
BENCHMARK_MAIN();
