#include <tallymark/bench_c.h>

#include "body.h"

TALLY_BENCH("empty")(tally_state* state) {
  TALLY_LOOP(state) {}
}
TALLY_BENCH("nops")(tally_state* state) { TALLY_LOOP(state) THOUSAND_NOPS; }
TALLY_BENCH("sort")(tally_state* state) { TALLY_LOOP(state) TALLY_KEEP(sorted_median(64)); }
