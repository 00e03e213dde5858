#include <tallymark/bench.h>

#include "body.h"

TALLY_BENCH("empty")(tally::State& state) {
  for (auto _ : state) static_cast<void>(_);
}
TALLY_BENCH("nops")(tally::State& state) {
  for (auto _ : state) THOUSAND_NOPS;
}
TALLY_BENCH("sort")(tally::State& state) {
  for (auto _ : state) tally::keep(sorted_median(64));
}
