/// A benchmark program with a thread that starts before main(), and a static object that ends the process.
#include <unistd.h>

#include <thread>

#include "tallymark/bench.h"

namespace {

struct Busy {
  Busy() : sleeper([] { ::pause(); }) { sleeper.detach(); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() { ::_exit(3); }
  std::thread sleeper;
};

const Busy g_busy;

}  // namespace

TALLY_BENCH("thousand nops")(tally::State& state) {
  for (auto _ : state) asm volatile(".rept 1000\nnop\n.endr");
}

TALLY_BENCH("two thousand nops")(tally::State& state) {
  for (auto _ : state) asm volatile(".rept 2000\nnop\n.endr");
}
