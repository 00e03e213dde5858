/// The same as heavy_work.cc, for Google Benchmark's header: its own, or ours.
#include <benchmark/benchmark.h>

static void work(long thousands) {
  for (long i = 0; i < thousands; ++i) asm volatile(".rept 1000\nnop\n.endr");
}

static void ten_million(benchmark::State& state) {
  for (auto _ : state) work(10'000);
}
BENCHMARK(ten_million);

static void its_set_up(benchmark::State& state) {
  work(10'000);
  for (auto _ : state) work(1);
}
BENCHMARK(its_set_up);

static void knows_its_number(benchmark::State& state) {
  benchmark::IterationCount left = state.max_iterations;
  for (auto _ : state) {
    --left;
    work(10'000);
  }
  if (left != 0) state.SkipWithError("it was another number");
}
BENCHMARK(knows_its_number);

BENCHMARK_MAIN();
