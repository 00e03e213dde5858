/// A program as somebody has built it with Google Benchmark's own headers and shared library.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#define THOUSAND_NOPS asm volatile(".rept 1000\nnop\n.endr")

static void range_for(benchmark::State& state) {
  for (auto _ : state) THOUSAND_NOPS;
}
BENCHMARK(range_for);

static void keep_running(benchmark::State& state) {
  while (state.KeepRunning()) THOUSAND_NOPS;
}
BENCHMARK(keep_running)->Arg(3)->Arg(7);

static void pauses(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    THOUSAND_NOPS;
    state.ResumeTiming();
    THOUSAND_NOPS;
  }
}
BENCHMARK(pauses);

static void knows_its_number(benchmark::State& state) {
  std::vector<int> written(static_cast<std::size_t>(state.max_iterations));
  std::size_t i = 0;
  for (auto _ : state) written.at(i++) = 1;
}
BENCHMARK(knows_its_number)->MinTime(0.5)->Repetitions(3);

static void allocates(benchmark::State& state) {
  for (auto _ : state) {
    std::vector<std::string> texts(static_cast<std::size_t>(state.range(0)), std::string(40, 'x'));
    benchmark::DoNotOptimize(texts);
  }
}
BENCHMARK(allocates)->Arg(64)->Arg(1000);

static void errs(benchmark::State& state) {
  state.SkipWithError("no such file");
  for (auto _ : state) THOUSAND_NOPS;
}
BENCHMARK(errs);

static void throws(benchmark::State& state) {
  for (auto _ : state) throw std::runtime_error("as it should");
}
BENCHMARK(throws);

static void exits(benchmark::State& state) {
  for (auto _ : state) std::exit(0);
}
BENCHMARK(exits);

static void crashes(benchmark::State& state) {
  volatile int* const nowhere = nullptr;
  for (auto _ : state) *nowhere = 1;
}
BENCHMARK(crashes);

template <int kBatch>
static void in_batches(benchmark::State& state) {
  while (state.KeepRunningBatch(kBatch))
    for (int i = 0; i < kBatch; ++i) THOUSAND_NOPS;
}
BENCHMARK(in_batches<7>);
BENCHMARK(in_batches<1000>);

static void reports_counters(benchmark::State& state) {
  for (auto _ : state) THOUSAND_NOPS;
  state.SetItemsProcessed(state.iterations());
  state.counters["k"] = 1;
  state.counters["a counter whose name is long"] = 2;
}
BENCHMARK(reports_counters);

/// Which is no part of what an execution costs.
static void first_costs(benchmark::State& state) {
  bool is_first = true;
  for (auto _ : state) {
    for (int i = 0; is_first && i < 50; ++i) THOUSAND_NOPS;
    is_first = false;
    THOUSAND_NOPS;
  }
}
BENCHMARK(first_costs);

/// What it keeps from call to call is one thousand more with each.
struct Kept : benchmark::Fixture {
  void SetUp(const benchmark::State& /*state*/) override { ++thousands; }
  int thousands = 0;
};
BENCHMARK_F(Kept, grows_from_call_to_call)(benchmark::State& state) {
  for (auto _ : state) {
    for (int i = 0; i < thousands; ++i) THOUSAND_NOPS;
  }
}

static void pauses_at_times(benchmark::State& state) {
  int i = 0;
  for (auto _ : state) {
    if (++i % 4 == 0) {
      state.PauseTiming();
      state.ResumeTiming();
    }
    THOUSAND_NOPS;
  }
}
BENCHMARK(pauses_at_times);

/// The mean of four executions is 2,500 nops, of a hundred 50,500.
static void grows(benchmark::State& state) {
  int i = 0;
  for (auto _ : state) {
    ++i;
    for (int k = 0; k < i; ++k) THOUSAND_NOPS;
  }
}
BENCHMARK(grows)->Iterations(4);
BENCHMARK(range_for)->Name("an_argument")->ArgName("iterations")->Arg(4);

BENCHMARK(range_for)->Name("in_one_thread")->Threads(1);

static void in_threads(benchmark::State& state) {
  for (auto _ : state) THOUSAND_NOPS;
}
BENCHMARK(in_threads)->Threads(2);

BENCHMARK_MAIN();
