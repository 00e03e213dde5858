// The benchmark of words_bench.cc, written for Google Benchmark. Built with its library or with tallymark's:
// WORDS_GOOGLE in CMakeLists.txt.
#include <benchmark/benchmark.h>
#include <words.h>

#include <string>

namespace {

void count(benchmark::State& state) {
  std::string text;
  for (long long i = 0; i < state.range(0); ++i) text += "word ";
  for (auto _ : state) {
    benchmark::ClobberMemory();
    benchmark::DoNotOptimize(words::count(text));
  }
}
BENCHMARK(count)->Arg(10)->Arg(1000);

}  // namespace
