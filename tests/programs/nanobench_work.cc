/// A program of nanobench's, without a word of Tallymark: a main() in which benchmarks stand between other work.
#define ANKERL_NANOBENCH_IMPLEMENT
#include <nanobench.h>

#include <chrono>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#define THOUSAND_NOPS asm volatile(".rept 1000\nnop\n.endr")

namespace {

/// Whoever takes a Bench gets one that is counted.
void run_two(ankerl::nanobench::Bench& bench, const std::string& name) {
  bench.run(name + " one", [] { THOUSAND_NOPS; }).run(name + " two", [] { THOUSAND_NOPS; });
}

}  // namespace

int main() {
  ankerl::nanobench::Bench().run("empty", [] {});
  ankerl::nanobench::Bench().minEpochIterations(10).name("named").run([&] { THOUSAND_NOPS; });

  ankerl::nanobench::Bench bench;
  bench.title("titled").unit("byte").batch(100).relative(true).warmup(3).epochs(5).performanceCounters(false);
  std::vector<std::string> texts(10, "some text");
  bench.run("nops", [&] { THOUSAND_NOPS; });
  bench.run("nops", [&] {
    THOUSAND_NOPS;
    bench.doNotOptimizeAway(texts.size());
  });
  run_two(bench, "in a function");
  // What programs do with results still works.
  if (bench.results().size() != 4 || bench.title() != "titled" || bench.batch() != 100) return 4;
  if (bench.results().back().fromString("elapsed") != ankerl::nanobench::Result::Measure::elapsed) return 5;
  std::ostringstream out;
  bench.render(ankerl::nanobench::templates::csv(), out);
  ankerl::nanobench::render(ankerl::nanobench::templates::json(), bench, out);

  ankerl::nanobench::Bench sizes;
  for (const int size : {1, 2}) {
    sizes.complexityN(size).run("nops of " + std::to_string(size), [&] {
      for (int i = 0; i < size; ++i) THOUSAND_NOPS;
    });
  }
  out << sizes.complexityBigO() << out.str().size();

  bench = ankerl::nanobench::Bench();
  try {
    bench.run("throws", [&] { throw std::runtime_error("as it should"); });
  } catch (const std::runtime_error&) {
  }
  ankerl::nanobench::Bench(bench).run("last", [] { THOUSAND_NOPS; });
  std::exit(3);
}
