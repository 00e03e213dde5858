/// Three benchmarks of one name, each with work of its own, for Google Benchmark's header: its own, or ours.
#include <benchmark/benchmark.h>

template <int kThousands>
static void work(benchmark::State& state) {
  for (auto _ : state) {
    for (int i = 0; i < kThousands; ++i) asm volatile(".rept 1000\nnop\n.endr");
  }
}
BENCHMARK(work<1>)->Name("work");
BENCHMARK(work<2>)->Name("work");
BENCHMARK(work<4>)->Name("work");

BENCHMARK_MAIN();
