/// Benchmarks that are too heavy for as many executions as are usual, or only seem to be.
#include "tallymark/bench.h"

namespace {

/// `thousands` of a thousand nops.
void work(long thousands) {
  for (long i = 0; i < thousands; ++i) asm volatile(".rept 1000\nnop\n.endr");
}

}  // namespace

TALLY_BENCH("ten million")(tally::State& state) {
  for (auto _ : state) work(10'000);
}

TALLY_BENCH("its first execution")(tally::State& state) {
  static bool is_first = true;
  for (auto _ : state) {
    if (is_first) work(10'000);
    is_first = false;
    work(1);
  }
}

TALLY_BENCH("its set-up")(tally::State& state) {
  work(10'000);
  for (auto _ : state) work(1);
}

TALLY_BENCH("two threads", [] {
  tally::Options options;
  options.threads = {2};
  return options;
}())(tally::State& state) {
  for (auto _ : state) work(10'000);
}
