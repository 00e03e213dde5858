/// What functions report, for Google Benchmark's header: its own, or ours.
#include <benchmark/benchmark.h>

#include <string>

using benchmark::Counter;

static void work(benchmark::State& state) {
  for (auto _ : state) asm volatile(".rept 100\nnop\n.endr");
}

static void counters(benchmark::State& state) {
  work(state);
  state.counters["plain"] = 7;
  state.counters["mean"] = Counter(3.0 * static_cast<double>(state.iterations()), Counter::kAvgIterations);
  state.counters["for each thread"] = Counter(8, Counter::kAvgThreads);
  state.counters["inverted"] = Counter(4, Counter::kInvert);
  state.SetItemsProcessed(state.iterations() * 5);
}
BENCHMARK(counters);
BENCHMARK(counters)->Iterations(20)->Name("counters_of_20");

static void label(benchmark::State& state) {
  work(state);
  state.SetLabel("size " + std::to_string(state.range(0)));
}
BENCHMARK(label)->Name("label")->Arg(64);

class Fixture : public benchmark::Fixture {
 public:
  void TearDown(benchmark::State& state) override { state.counters["at the end"] = 9; }
};
BENCHMARK_F(Fixture, torn_down)(benchmark::State& state) { work(state); }

// A second call cannot be made.
static void once(benchmark::State& state) {
  static int calls = 0;
  if (++calls > 1) state.SkipWithError("is called twice");
  work(state);
  state.counters["calls"] = calls;
}
BENCHMARK(once)->Iterations(10);

static void many_counters(benchmark::State& state) {
  work(state);
  for (int i = 0; i < 500; ++i) state.counters["a counter with a long name, number " + std::to_string(i)] = i;
}
BENCHMARK(many_counters);

static void odd_counters(benchmark::State& state) {
  work(state);
  state.counters["of two\nlines"] = 2;
  state.counters["of two\tcolumns"] = 3;
}
BENCHMARK(odd_counters);

static void too_many_counters(benchmark::State& state) {
  work(state);
  for (int i = 0; i < 100; ++i) state.counters[std::string(1000, 'n') + std::to_string(i)] = i;
}
BENCHMARK(too_many_counters);

BENCHMARK_MAIN();
