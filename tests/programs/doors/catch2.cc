/* For both versions. */
#ifdef CATCH2_V3
#include <catch_amalgamated.hpp>
#else
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>
#endif

#include "body.h"

TEST_CASE("doors") {
  BENCHMARK("empty"){};
  BENCHMARK("nops") { THOUSAND_NOPS; };
  BENCHMARK("sort") { return sorted_median(64); };
  BENCHMARK_ADVANCED("advanced nops")(Catch::Benchmark::Chronometer meter) {
    meter.measure([] { THOUSAND_NOPS; });
  };
  BENCHMARK_ADVANCED("advanced sort")(Catch::Benchmark::Chronometer meter) {
    meter.measure([] { return sorted_median(64); });
  };
}
