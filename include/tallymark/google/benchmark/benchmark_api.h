/// Starting a program of benchmarks.
#ifndef TALLYMARK_BENCHMARK_BENCHMARK_API_H
#define TALLYMARK_BENCHMARK_BENCHMARK_API_H

#include <cstddef>

#include "benchmark/counter.h"
#include "benchmark/macros.h"
#include "benchmark/state.h"
#include "benchmark/statistics.h"
#include "benchmark/types.h"

TALLYMARK_FACADE_BEGIN

constexpr char kDefaultMinTimeStr[] = "0.5s";

/// Does nothing: counts have no need of it, and `tally` places programs itself.
void MaybeReenterWithoutASLR(int argc, char** argv);

std::string GetBenchmarkVersion();
void PrintDefaultHelp();

/// Takes the flags that are the library's out of the command line. Ends the program with a message where one of them
/// is wrong, after --help and after --version.
void Initialize(int* argc, char** argv, void (*help)() = PrintDefaultHelp);
void Shutdown();
/// Whether there is any left; says so on standard error.
bool ReportUnrecognizedArguments(int argc, char** argv);

void ClearRegisteredBenchmarks();

std::string GetBenchmarkFilter();
void SetBenchmarkFilter(std::string value);
std::int32_t GetBenchmarkVerbosity();

/// Shown in the report's head.
void AddCustomContext(std::string key, std::string value);

/// As the flags say; owned by the caller.
BenchmarkReporter* CreateDefaultDisplayReporter();

/// Runs those that the filter, or `spec`, matches, and returns how many that are. In the hands of `tally` it serves
/// that, and does not return.
std::size_t RunSpecifiedBenchmarks();
std::size_t RunSpecifiedBenchmarks(std::string spec);
std::size_t RunSpecifiedBenchmarks(BenchmarkReporter* display_reporter);
std::size_t RunSpecifiedBenchmarks(BenchmarkReporter* display_reporter, std::string spec);
std::size_t RunSpecifiedBenchmarks(BenchmarkReporter* display_reporter, BenchmarkReporter* file_reporter);
std::size_t RunSpecifiedBenchmarks(BenchmarkReporter* display_reporter, BenchmarkReporter* file_reporter,
                                   std::string spec);

namespace internal {

std::map<std::string, std::string>*& GetGlobalContext();

}  // namespace internal

TALLYMARK_FACADE_END

// Who includes this header may register benchmarks, and who includes that one may start them.
#include "benchmark/registration.h"

#endif
