/// A program as one is written for Google Benchmark, of known work.
#include <benchmark/benchmark.h>

#include <cassert>
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
BENCHMARK(keep_running);

static void batch(benchmark::State& state) {
  while (state.KeepRunningBatch(7)) asm volatile(".rept 7000\nnop\n.endr");
}
BENCHMARK(batch);

static void pauses(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    THOUSAND_NOPS;
    state.ResumeTiming();
    THOUSAND_NOPS;
  }
}
BENCHMARK(pauses);

static void keep_running_pauses(benchmark::State& state) {
  while (state.KeepRunning()) {
    {
      benchmark::ScopedPauseTiming paused(state);
      THOUSAND_NOPS;
    }
    THOUSAND_NOPS;
  }
}
BENCHMARK(keep_running_pauses);

/// Wants to know its number of iterations, and would write beyond its array.
static void knows_its_number(benchmark::State& state) {
  std::vector<int> written(static_cast<std::size_t>(state.max_iterations), 0);
  std::size_t i = 0;
  for (auto _ : state) {
    written.at(i++) = 1;
    THOUSAND_NOPS;
  }
  if (i != written.size()) throw std::runtime_error("another number of iterations than was requested");
}
BENCHMARK(knows_its_number);

static void push_back(benchmark::State& state) {
  std::vector<int> growing;
  for (auto _ : state) growing.push_back(1);
}
BENCHMARK(push_back)->Iterations(100);
BENCHMARK(push_back)->Iterations(1000);

static void with_args(benchmark::State& state) {
  for (auto _ : state) {
    for (std::int64_t i = 0; i < state.range(0); ++i) asm volatile(".rept 98\nnop\n.endr");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetLabel("labelled");
}
BENCHMARK(with_args)->Arg(1)->Arg(10);
BENCHMARK(with_args)->Arg(100);

static void pairs(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(state.range(0) + state.range(1));
}
BENCHMARK(pairs)->Args({1, 2})->Args({3, 4});
BENCHMARK(pairs)->Name("product")->ArgsProduct({{1, 2}, {3, 4}})->ArgNames({"x", "y"});

// Names that ids and filters use.
BENCHMARK(with_args)
    ->Name("named")
    ->ArgNames({"threads", "device", "language", "runtime", "autograd", "tag"})
    ->Args({1, 2, 3, 4, 5, 6});

static void in_threads(benchmark::State& state) {
  for (auto _ : state) asm volatile(".rept 100000\nnop\n.endr");
}
BENCHMARK(in_threads)->Threads(4);

static void says_in_a_team(benchmark::State& state) {
  for (auto _ : state) THOUSAND_NOPS;
  state.SetLabel("of a team");
  state.counters["each"] = 7;
}
BENCHMARK(says_in_a_team)->Iterations(5)->Threads(2);

static void manual(benchmark::State& state) {
  for (auto _ : state) {
    THOUSAND_NOPS;
    state.SetIterationTime(0.5);
  }
}
BENCHMARK(manual)->UseManualTime();

static void manual_of_a_team(benchmark::State& state) {
  for (auto _ : state) state.SetIterationTime(100e-9);
}
BENCHMARK(manual_of_a_team)->UseManualTime()->Threads(2);

// So short that by its own account it would never have run for long enough.
static void manual_of_nothing(benchmark::State& state) {
  for (auto _ : state) {
    THOUSAND_NOPS;
    state.SetIterationTime(1e-12);
  }
}
BENCHMARK(manual_of_nothing)->UseManualTime();

struct Constant {
  const int value = 3;
};
static void keeps_constant(benchmark::State& state) {
  Constant constant;
  for (auto _ : state) {
    THOUSAND_NOPS;
    benchmark::DoNotOptimize(constant);
  }
}
BENCHMARK(keeps_constant);

static void keeps_stores(benchmark::State& state) {
  static int* const room = new int[100]();
  for (auto _ : state) {
    for (int i = 0; i < 100; ++i) benchmark::DoNotOptimize(room[i] = 10);
  }
  if (room[99] != 10) state.SkipWithError("the store was removed");
}
BENCHMARK(keeps_stores);

template <typename T>
static void typed(benchmark::State& state) {
  for (auto _ : state) THOUSAND_NOPS;
}
BENCHMARK(typed<int>);
BENCHMARK_TEMPLATE(typed, std::pair<int, long>);

static void captured(benchmark::State& state, int number, const std::string& text) {
  if (number != 42 || text != "text") throw std::runtime_error("captured something else");
  for (auto _ : state) THOUSAND_NOPS;
}
BENCHMARK_CAPTURE(captured, both, 42, "text");
BENCHMARK_NAMED(range_for, its_name);

class Fixed : public benchmark::Fixture {
 public:
  void SetUp(const benchmark::State& state) override { number = static_cast<int>(state.range(0)); }
  void TearDown(const benchmark::State&) override { number = 0; }
  int number = 0;
};
BENCHMARK_DEFINE_F(Fixed, method)(benchmark::State& state) {
  if (number != state.range(0)) throw std::runtime_error("not set up");
  for (auto _ : state) THOUSAND_NOPS;
}
BENCHMARK_REGISTER_F(Fixed, method)->Arg(7);

static int g_set_up = 0;
static void set_up(const benchmark::State& state) { g_set_up = static_cast<int>(state.range(0)); }
static void tear_down(const benchmark::State&) { g_set_up = 0; }
static void needs_setup(benchmark::State& state) {
  if (g_set_up != state.range(0)) throw std::runtime_error("not set up");
  for (auto _ : state) THOUSAND_NOPS;
}
BENCHMARK(needs_setup)->Arg(3)->Setup(set_up)->Teardown(tear_down);

static void errs(benchmark::State& state) {
  state.SkipWithError("no such file");
  for (auto _ : state) THOUSAND_NOPS;
}
BENCHMARK(errs);

static void passes(benchmark::State& state) {
  state.SkipWithMessage("not on this machine");
  while (state.KeepRunning()) THOUSAND_NOPS;
}
BENCHMARK(passes);

// Google's library runs none of this name.
static void DISABLED_crashes(benchmark::State&) { std::abort(); }
BENCHMARK(DISABLED_crashes);

int main(int argc, char** argv) {
  benchmark::RegisterBenchmark("registered", [](benchmark::State& state) {
    for (auto _ : state) THOUSAND_NOPS;
  });
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
