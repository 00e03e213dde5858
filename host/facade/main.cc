/// For programs without a main() of their own.
#include "benchmark/benchmark.h"

BENCHMARK_MAIN();
