/// A benchmark program whose counts are known, and whose benchmarks misbehave in one way each.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "tallymark/bench.h"

TALLY_BENCH("empty")(tally::State& state) {
  for (auto _ : state) static_cast<void>(_);
}

TALLY_BENCH("thousand nops")(tally::State& state) {
  for (auto _ : state) asm volatile(".rept 1000\nnop\n.endr");
}

TALLY_BENCH("fill", tally::args({{"n", {64, 1000}}, {2, 3}}))(tally::State& state) {
  long n = static_cast<long>(state.arg(0));
  long m = static_cast<long>(state.arg(1));
  tally::keep(n);
  tally::keep(m);
  for (auto _ : state) {
    std::vector<std::string> texts(static_cast<std::size_t>(n), std::string(40, 'x'));
    texts.resize(static_cast<std::size_t>(m));
    tally::keep(texts);
    tally::clobber();
  }
}

TALLY_BENCH("throws")(tally::State& state) {
  for (auto _ : state) throw std::runtime_error("as it should");
}

TALLY_BENCH("exits")(tally::State& state) {
  for (auto _ : state) std::exit(0);
}

TALLY_BENCH("crashes")(tally::State& state) {
  volatile int* const nowhere = nullptr;
  for (auto _ : state) *nowhere = 1;
}

TALLY_BENCH("leaves")(tally::State& state) {
  for (auto _ : state) break;
}

TALLY_BENCH("no loop")(tally::State&) {}

TALLY_BENCH("two loops")(tally::State& state) {
  for (auto _ : state) static_cast<void>(_);
  for (auto _ : state) static_cast<void>(_);
}

TALLY_BENCH("no such argument")(tally::State& state) {
  for (auto _ : state) tally::keep(state.arg(0));
}

TALLY_BENCH("hangs")(tally::State& state) {
  for (auto _ : state) ::pause();
}

TALLY_BENCH("prints")(tally::State& state) {
  const std::string line(1 << 20, 'p');
  for (int i = 0; i < 8; ++i) std::fputs(line.c_str(), stdout);
  for (auto _ : state) asm volatile("nop");
}
