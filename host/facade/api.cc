/// Starting a program: its flags, filter, context and managers.
#include <cstdio>
#include <iostream>
#include <utility>

#include "families.h"
#include "flags.h"
#include "runner.h"

TALLYMARK_FACADE_BEGIN

void MaybeReenterWithoutASLR(int /*argc*/, char** /*argv*/) {}

std::string GetBenchmarkVersion() { return "tallymark " TALLYMARK_VERSION; }

void PrintDefaultHelp() {
  std::fputs(
      "Flags of the benchmark library (tallymark); each can be a variable too, as BENCHMARK_FILTER=sort:\n"
      "  --benchmark_list_tests            name the benchmarks, run none\n"
      "  --benchmark_filter=REGEX          those whose names match; -REGEX: the others\n"
      "  --benchmark_min_time=0.5s|100x    least time of a run, or its iterations\n"
      "  --benchmark_min_warmup_time=SECONDS\n"
      "  --benchmark_repetitions=N         with mean, median, standard deviation and its share of the mean\n"
      "  --benchmark_dry_run               one iteration of each\n"
      "  --benchmark_enable_random_interleaving\n"
      "  --benchmark_report_aggregates_only, --benchmark_display_aggregates_only\n"
      "  --benchmark_format=console|json|csv\n"
      "  --benchmark_out=FILE, --benchmark_out_format=json|console|csv\n"
      "  --benchmark_color=auto|true|false\n"
      "  --benchmark_counters_tabular\n"
      "  --benchmark_context=KEY=VALUE,...\n"
      "  --benchmark_time_unit=ns|us|ms|s\n"
      "  --v=N                             taken, and without effect\n"
      "Exact counts of instructions: tally run --program EXE\n",
      stdout);
}

void Initialize(int* argc, char** argv, void (*help)()) {
  BenchmarkReporter::Context::executable_name = *argc > 0 ? argv[0] : "unknown";
  internal::read_flags(argc, argv, help);
}

void Shutdown() {
  delete internal::GetGlobalContext();
  internal::GetGlobalContext() = nullptr;
}

bool ReportUnrecognizedArguments(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    std::fprintf(stderr, "%s: error: unrecognized command-line flag: %s\n", argv[0], argv[i]);
  return argc > 1;
}

std::string GetBenchmarkFilter() { return internal::flags().filter; }
void SetBenchmarkFilter(std::string value) { internal::flags().filter = std::move(value); }
std::int32_t GetBenchmarkVerbosity() { return internal::flags().v; }

void AddCustomContext(std::string key, std::string value) {
  auto*& context = internal::GetGlobalContext();
  if (context == nullptr) context = new std::map<std::string, std::string>();
  if (const auto there = context->find(key); there != context->end()) {
    std::cerr << "benchmark: the context has '" << key << "' already, as '" << there->second << "'; '" << value
              << "' is left out\n";
    return;
  }
  context->emplace(std::move(key), std::move(value));
}

void RegisterMemoryManager(MemoryManager* manager) { internal::managers().memory = manager; }

void RegisterProfilerManager(ProfilerManager* manager) {
  if (manager != nullptr && internal::managers().profiler != nullptr) {
    std::fprintf(stderr, "benchmark: there is a profiler manager already: register null first\n");
    std::exit(1);
  }
  internal::managers().profiler = manager;
}

namespace internal {

std::map<std::string, std::string>*& GetGlobalContext() {
  static std::map<std::string, std::string>* context = nullptr;
  return context;
}

}  // namespace internal

TALLYMARK_FACADE_END
