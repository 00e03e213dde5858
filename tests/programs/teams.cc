/// Teams of known work: a benchmark program whose threads do not all do the same.
#include <ctime>
#include <thread>

#include "tallymark/bench.h"

namespace {

tally::Options in_threads(int threads) {
  tally::Options options;
  options.threads = {threads};
  return options;
}

}  // namespace

#define NOPS(n) asm volatile(".rept " #n "\nnop\n.endr")

/// 100,000 instructions for the first thread, twice as many for the second, and so on.
TALLY_BENCH("unlike", in_threads(4))(tally::State& state) {
  for (auto _ : state) {
    for (int i = 0; i <= state.thread(); ++i) NOPS(100000);
  }
}

/// Only the last one does anything that is not paused.
TALLY_BENCH("paused", in_threads(3))(tally::State& state) {
  for (auto _ : state) {
    state.pause();
    NOPS(20000);
    state.resume();
    if (state.thread() == 2) NOPS(10000);
  }
}

/// What a thread of a thread's own executes is nobody's of the team.
TALLY_BENCH("with others", in_threads(2))(tally::State& state) {
  for (auto _ : state) std::thread([] { NOPS(100000); }).join();
}

TALLY_BENCH("by the clock", in_threads(2))(tally::State& state) {
  timespec now{};
  for (auto _ : state) clock_gettime(CLOCK_MONOTONIC, &now);
}
