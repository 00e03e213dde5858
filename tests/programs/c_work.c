/* A benchmark program in C, in every form that <tallymark/bench_c.h> has, of known work. */
#include <stdlib.h>

#include "tallymark/bench_c.h"

#define THOUSAND_NOPS __asm__ volatile(".rept 1000\nnop\n.endr")

TALLY_BENCH("empty")(tally_state* state) {
  TALLY_LOOP(state) {}
}

TALLY_BENCH("thousand nops")(tally_state* state) { TALLY_LOOP(state) THOUSAND_NOPS; }

/* Another loop around the bodies of others, and one that continues. */
TALLY_BENCH("continues")(tally_state* state) {
  TALLY_LOOP(state) {
    THOUSAND_NOPS;
    continue;
  }
}

TALLY_BENCH("pauses")(tally_state* state) {
  TALLY_LOOP(state) {
    tally_pause(state);
    __asm__ volatile(".rept 20000\nnop\n.endr");
    tally_resume(state);
    THOUSAND_NOPS;
  }
}

TALLY_BENCH("arguments", .args = {TALLY_ARG("n", 64, 1000), TALLY_ARG(0, -2, 3)})(tally_state* state) {
  const long long n = tally_arg(state, 0);
  if (tally_arg(state, 1) == 3 && n != 64 && n != 1000) abort();
  TALLY_LOOP(state) THOUSAND_NOPS;
  tally_counter(state, "answer", (double)n, TALLY_PER_RUN);
  tally_counter(state, "items", (double)n, TALLY_PER_SECOND);
}

TALLY_BENCH("threads", .threads = {1, 2})(tally_state* state) {
  TALLY_LOOP(state) __asm__ volatile(".rept 100000\nnop\n.endr");
}

TALLY_BENCH("seven at once", .iterations = 7)(tally_state* state) {
  volatile int left = 7;
  TALLY_LOOP(state) {
    if ((left = left - 1) < 0) abort();
    THOUSAND_NOPS;
  }
}

TALLY_BENCH("manual", .manual_time = 1)(tally_state* state) {
  TALLY_LOOP(state) {
    THOUSAND_NOPS;
    tally_set_time(state, 0.25);
  }
}

TALLY_BENCH("skips")(tally_state* state) {
  tally_skip(state, "has nothing to do");
  TALLY_LOOP(state) THOUSAND_NOPS;
}

TALLY_BENCH("fails")(tally_state* state) {
  tally_fail(state, "as it should");
  TALLY_LOOP(state) THOUSAND_NOPS;
}

TALLY_BENCH("no such argument")(tally_state* state) {
  const long long n = tally_arg(state, 0);
  TALLY_LOOP(state) TALLY_KEEP(n);
}

TALLY_BENCH("leaves")(tally_state* state) { TALLY_LOOP(state) break; }

TALLY_BENCH("no loop")(tally_state* state) { TALLY_KEEP(state); }

static void by_code(tally_state* state) { TALLY_LOOP(state) THOUSAND_NOPS; }

int main(int argc, char** argv) {
  tally_add_benchmark("by code", by_code, NULL);
  return tally_bench_main(argc, argv);
}
