#define ANKERL_NANOBENCH_IMPLEMENT
#include <nanobench.h>

#include "body.h"

int main() {
  ankerl::nanobench::Bench bench;
  bench.run("empty", [] {});
  bench.run("nops", [] { THOUSAND_NOPS; });
  bench.run("sort", [] { ankerl::nanobench::doNotOptimizeAway(sorted_median(64)); });
}
