/// With parts of our Google Benchmark header alone, as its own has had them since 2026.
#ifdef ONLY_API
#include <benchmark/benchmark_api.h>
#else
#include <benchmark/macros.h>
#include <benchmark/registration.h>
#include <benchmark/state.h>
#endif

static void thousand(benchmark::State& state) {
  for (auto _ : state) asm volatile(".rept 1000\nnop\n.endr");
}

#ifdef ONLY_API
int main(int argc, char** argv) {
  benchmark::RegisterBenchmark("dropped", thousand);
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark("thousand", thousand)->Arg(1);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
#else
BENCHMARK(thousand)->Arg(1);
BENCHMARK_MAIN();
#endif
