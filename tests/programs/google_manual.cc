/// A program that is built with Google Benchmark itself, whose functions say how long they took; or that only a name
/// says so of.
#include <benchmark/benchmark.h>

#define THOUSAND_NOPS asm volatile(".rept 1000\nnop\n.endr")

static void manual(benchmark::State& state) {
  for (auto _ : state) {
    THOUSAND_NOPS;
    state.SetIterationTime(0.25);
  }
}
BENCHMARK(manual)->UseManualTime();
BENCHMARK(manual)->Name("fixed")->Iterations(3)->UseManualTime();
BENCHMARK(manual)->Name("by the clock");

static void range_for(benchmark::State& state) {
  for (auto _ : state) THOUSAND_NOPS;
}
BENCHMARK(range_for)->Name("named/manual_time");

BENCHMARK_MAIN();
