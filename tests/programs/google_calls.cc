/// A program whose main() runs benchmarks more than once, and would write a report over the one of its last run. Made
/// with Google Benchmark's header, ours or its own.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#define THOUSAND_NOPS asm volatile(".rept 1000\nnop\n.endr")

static void work(benchmark::State& state) {
  for (auto _ : state) THOUSAND_NOPS;
}
BENCHMARK(work)->Name("first")->Arg(1);

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::RunSpecifiedBenchmarks() == 0) return 4;
  if (std::FILE* const report = std::fopen("report.txt", "w")) std::fclose(report);
  if (benchmark::RunSpecifiedBenchmarks() == 0) return 5;  // the same
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark("second", work)->Args({1, 2});
  benchmark::RunSpecifiedBenchmarks();
  if (argc > 1) std::abort();
  if (std::getenv("OMP_LONG") != nullptr) std::this_thread::sleep_for(std::chrono::hours(1));
}
