/// Google Benchmark's names for how symbols leave a library. Here they are empty: the library is static. All other
/// headers include this one first.
#ifndef TALLYMARK_BENCHMARK_EXPORT_H
#define TALLYMARK_BENCHMARK_EXPORT_H

#if __cplusplus < 201703L
#error "tallymark needs C++17 or newer: compile with -std=c++17"
#include "compile with -std=c++17"  // There is no such file: compilers stop here, and not after thirty errors more.
#endif

#define BENCHMARK_EXPORT
#define BENCHMARK_NO_EXPORT

#endif
