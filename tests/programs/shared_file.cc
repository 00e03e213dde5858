/// Benchmarks that use one scratch file, one after the other: fine in a program by itself.
#include <benchmark/benchmark.h>

#include <cstdio>

/// Reads what the setup wrote; another case's lines would be others.
static void reads_what_it_wrote(benchmark::State& state) {
  std::FILE* const out = std::fopen("scratch", "w");
  for (long i = 0; i < state.range(0); ++i) {
    std::fputs("line\n", out);
    if (i % 50 == 0) std::fflush(out);
  }
  std::fclose(out);
  for (auto _ : state) {
    std::FILE* const in = std::fopen("scratch", "r");
    int lines = 0;
    for (int c = std::getc(in); c != EOF; c = std::getc(in)) lines += c == '\n' ? 1 : 0;
    std::fclose(in);
    if (lines != state.range(0)) state.SkipWithError("another one's lines");
  }
}
BENCHMARK(reads_what_it_wrote)->Arg(1000)->Arg(2000)->Arg(3000)->Arg(4000);

BENCHMARK_MAIN();
