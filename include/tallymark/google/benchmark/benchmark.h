/// Google Benchmark's interface, over tallymark: sources that were written for it are counted without an edit.
///
///     static void BM_copy(benchmark::State& state) {
///       const std::string text(state.range(0), 'x');
///       for (auto _ : state) benchmark::DoNotOptimize(std::string(text));
///     }
///     BENCHMARK(BM_copy)->Range(8, 8 << 10);
///     BENCHMARK_MAIN();
///
/// Link the CMake target tallymark::benchmark (or tallymark::benchmark_main, which has a main()), and measure with
/// `tally run --program EXE`; by itself such a program is one as people know it: a table of times, --benchmark_filter,
/// --benchmark_format=json. The names and their meaning are those that Google Benchmark documents (its user guide, as
/// of 1.9.5); the code is our own. Needs C++17.
#ifndef TALLYMARK_BENCHMARK_BENCHMARK_H
#define TALLYMARK_BENCHMARK_BENCHMARK_H

#include <cassert>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/benchmark_api.h"
#include "benchmark/counter.h"
#include "benchmark/export.h"
#include "benchmark/macros.h"
#include "benchmark/managers.h"
#include "benchmark/registration.h"
#include "benchmark/reporter.h"
#include "benchmark/state.h"
#include "benchmark/statistics.h"
#include "benchmark/sysinfo.h"
#include "benchmark/types.h"
#include "benchmark/utils.h"

#endif
