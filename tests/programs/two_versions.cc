/// A benchmark program with a main() that takes an argument of its own, in two versions: the newer one does more work
/// in one function, and has other benchmarks. A variable that hosts let through adds one.
#include <cstdlib>

#include "tallymark/bench.h"

namespace {

long g_times = 1;

[[gnu::noinline]] void spend() {
#ifdef NEWER
  asm volatile(".rept 1500\nnop\n.endr");
#else
  asm volatile(".rept 1000\nnop\n.endr");
#endif
}

void common(tally::State& state) {
  const long times = g_times;
  for (auto _ : state) {
    for (long i = 0; i < times; ++i) spend();
  }
}

void alone(tally::State& state) {
  for (auto _ : state) spend();
}

}  // namespace

TALLY_BENCH("unchanged")(tally::State& state) {
  for (auto _ : state) asm volatile(".rept 100\nnop\n.endr");
}

int main(int argc, char** argv) {
  // A word of its own comes first, as it does where nobody but the user calls the program.
  if (argc > 1) g_times = std::atol(argv[1]);
  tally::add_benchmark("common", common);
#ifdef NEWER
  tally::add_benchmark("only new", alone);
#else
  tally::add_benchmark("only old", alone);
#endif
  if (std::getenv("OMP_ONLY_HERE") != nullptr) tally::add_benchmark("only here", alone);
  return tally::bench_main(argc, argv);
}
