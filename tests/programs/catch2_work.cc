/// A program of Catch2's, without a word of Tallymark: benchmarks in every form, tests that fail, and hidden ones.
#ifdef CATCH2_V3
#include <catch_amalgamated.hpp>
#else
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>
#endif

#include <stdexcept>
#include <string>
#include <vector>

#define THOUSAND_NOPS asm volatile(".rept 1000\nnop\n.endr")

TEST_CASE("a test") { REQUIRE(std::string("a") + "b" == "ab"); }

TEST_CASE("forms, with \"odd\" \\ [characters]") {
  long n = 0;
  BENCHMARK("makes") { n = 1; };
  REQUIRE(n == 1);
  BENCHMARK("empty"){};
  BENCHMARK("nops") { THOUSAND_NOPS; };
  BENCHMARK(std::string("no") + "ps, with an index", i) {
    if (i < 0) throw std::logic_error("below zero");
    THOUSAND_NOPS;
  };
  BENCHMARK("text") { return std::string(100, 'x'); };
  BENCHMARK_ADVANCED("advanced")(Catch::Benchmark::Chronometer meter) {
    std::vector<int> seen(static_cast<std::size_t>(meter.runs()));
    meter.measure([&](int i) {
      seen.at(static_cast<std::size_t>(i)) = 1;
      THOUSAND_NOPS;
    });
  };
  SECTION("a section") {
    n = 2;
    BENCHMARK("nops") {
      for (long i = 0; i < n; ++i) THOUSAND_NOPS;
    };
    SECTION("in it") {
      BENCHMARK("nops") { THOUSAND_NOPS; };
    }
  }
  SECTION("another") {
    BENCHMARK("nops") {
      for (long i = 0; i < n; ++i) THOUSAND_NOPS;
    };
  }
}

TEST_CASE("sizes") {
  for (const int size : {1, 2}) {
    BENCHMARK("nops of " + std::to_string(size)) {
      for (int i = 0; i < size; ++i) THOUSAND_NOPS;
    };
  }
}

TEST_CASE("hidden as a benchmark", "[!benchmark]") {
  BENCHMARK("nops") { THOUSAND_NOPS; };
}

TEST_CASE("hidden", "[.]") {
  BENCHMARK("nops") { THOUSAND_NOPS; };
}

TEST_CASE("wrong") {
  int one = 1;
  BENCHMARK("asserts") { REQUIRE(one == 2); };
  BENCHMARK("throws") { throw std::runtime_error("as it should"); };
  BENCHMARK_ADVANCED("measures nothing")(Catch::Benchmark::Chronometer){};
  BENCHMARK_ADVANCED("measures twice")(Catch::Benchmark::Chronometer meter) {
    meter.measure([] { THOUSAND_NOPS; });
    meter.measure([] { THOUSAND_NOPS; });
  };
}

TEST_CASE("fails on its way") {
  REQUIRE(std::string("a") == "b");
  BENCHMARK("is not reached") { THOUSAND_NOPS; };
}
