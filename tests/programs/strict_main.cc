// Wants exactly one argument, looks at it before Google Benchmark does, and has names that no filter likes.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>

#define THOUSAND_NOPS asm volatile(".rept 1000\nnop\n.endr")

static void thousand(benchmark::State& state) {
  for (auto _ : state) THOUSAND_NOPS;
}
BENCHMARK(thousand)->Name("vec<int[4]>");
BENCHMARK(thousand)->Name("{1, 2}");
BENCHMARK(thousand)->Name("dump/jeopardy / -");
BENCHMARK(thousand)->Name("open /*(");
BENCHMARK(thousand)->Name("same");
BENCHMARK(thousand)->Name("same");

// Not in its first execution, which says how an empty loop is to look.
static void pauses_now_and_then(benchmark::State& state) {
  int i = 0;
  for (auto _ : state) {
    if (++i % 8 == 0) {
      state.PauseTiming();
      THOUSAND_NOPS;
      state.ResumeTiming();
    }
    THOUSAND_NOPS;
  }
}
BENCHMARK(pauses_now_and_then);

static void pauses_twice(benchmark::State& state) {
  for (auto _ : state) {
    for (int i = 0; i < 2; ++i) {
      state.PauseTiming();
      THOUSAND_NOPS;
      state.ResumeTiming();
    }
    THOUSAND_NOPS;
  }
}
BENCHMARK(pauses_twice);

int main(int argc, char** argv) {
  if (argc != 2 || std::strcmp(argv[1], "all") != 0) {
    std::fprintf(stderr, "usage: %s all\n", argv[0]);
    return 1;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
