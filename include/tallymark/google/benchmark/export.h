/// Google Benchmark's names for how symbols leave a library. Here they are empty: the library is static.
#ifndef TALLYMARK_BENCHMARK_EXPORT_H
#define TALLYMARK_BENCHMARK_EXPORT_H

#define BENCHMARK_EXPORT
#define BENCHMARK_NO_EXPORT

#endif
