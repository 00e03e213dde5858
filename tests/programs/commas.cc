/// A benchmark program that writes numbers as its user's country does: its first argument is a folder with a locale.
#include <clocale>
#include <cstdlib>

#include "tallymark/bench.h"

TALLY_BENCH("work")(tally::State& state) {
  for (auto _ : state) asm volatile("nop");
  state.counter("one and a half", 1.5);
  state.counter("less", -0.25);
}

int main(int argc, char** argv) {
  if (argc < 2 || setenv("LOCPATH", argv[1], 1) != 0 || std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) return 3;
  argv[1] = argv[0];
  return tally::bench_main(argc - 1, argv + 1);
}
