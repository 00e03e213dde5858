/// Benchmarks whose names say one thing for two, or that are no label, for Google Benchmark's header: its own, or ours.
#include <benchmark/benchmark.h>

template <int kNops>
static void work(benchmark::State& state) {
  for (auto _ : state) asm volatile(".rept %c0\nnop\n.endr" : : "i"(kNops));
}
// The library calls two of these "below/1", two "above/7", and two "deep/1/2".
BENCHMARK(work<100>)->Name("below")->Arg(1)->Arg(2);
BENCHMARK(work<200>)->Name("below/1");
BENCHMARK(work<300>)->Name("below/9");
BENCHMARK(work<400>)->Name("above/7");
BENCHMARK(work<500>)->Name("above")->Arg(7);
BENCHMARK(work<600>)->Name("deep")->Args({1, 2});
BENCHMARK(work<700>)->Name("deep/1")->Arg(2);
// The second "twice" would be the first one's neighbour.
BENCHMARK(work<800>)->Name("twice#2");
BENCHMARK(work<900>)->Name("twice");
BENCHMARK(work<1000>)->Name("twice");
BENCHMARK(work<100>)->Name(" ");
BENCHMARK(work<200>)->Name("//");
BENCHMARK(work<300>)->Name("a\tb");
BENCHMARK(work<400>)->Name("${x}");
BENCHMARK(work<500>)->Name(" outer ");

BENCHMARK_MAIN();
