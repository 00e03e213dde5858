#include "benchmark/reporter.h"

#include <iostream>

#include "benchmark/benchmark_api.h"
#include "text.h"

TALLYMARK_FACADE_BEGIN

const char* BenchmarkReporter::Context::executable_name = nullptr;

BenchmarkReporter::Context::Context() : cpu_info(CPUInfo::Get()), sys_info(SystemInfo::Get()) {}

BenchmarkReporter::BenchmarkReporter() : output_stream_(&std::cout), error_stream_(&std::cerr) {}
BenchmarkReporter::~BenchmarkReporter() = default;

void BenchmarkReporter::PrintBasicContext(std::ostream* out, const Context& context) {
  std::ostream& to = *out;
  to << internal::local_time() << "\n";
  if (Context::executable_name != nullptr) to << "Running " << Context::executable_name << "\n";
  const CPUInfo& cpu = context.cpu_info;
  to << "Run on (" << cpu.num_cpus << " X " << cpu.cycles_per_second / 1e6 << " MHz CPU "
     << (cpu.num_cpus > 1 ? "s" : "") << ")\n";
  if (!cpu.caches.empty()) to << "CPU Caches:\n";
  for (const CPUInfo::CacheInfo& cache : cpu.caches) {
    to << "  L" << cache.level << " " << cache.type << " " << cache.size / 1024 << " KiB";
    if (cache.num_sharing != 0) to << " (x" << cpu.num_cpus / cache.num_sharing << ")";
    to << "\n";
  }
  if (!cpu.load_avg.empty()) {
    to << "Load Average: ";
    for (std::size_t i = 0; i < cpu.load_avg.size(); ++i)
      to << (i > 0 ? ", " : "") << internal::formatted("%.2f", cpu.load_avg[i]);
    to << "\n";
  }
  if (const auto* const custom = internal::GetGlobalContext(); custom != nullptr) {
    for (const auto& [key, value] : *custom) to << key << ": " << value << "\n";
  }
  if (cpu.scaling == CPUInfo::ENABLED)
    to << "***WARNING*** the CPUs change their frequency: times vary with it (counts by tally do not)\n";
#if !defined(__OPTIMIZE__)
  to << "***WARNING*** the benchmark library was built without optimisation: times of short loops hold more of it\n";
#endif
}

std::string BenchmarkReporter::Run::benchmark_name() const {
  return run_type == RT_Aggregate ? run_name.str() + "_" + aggregate_name : run_name.str();
}

double BenchmarkReporter::Run::GetAdjustedRealTime() const {
  const double time = real_accumulated_time * GetTimeUnitMultiplier(time_unit);
  return iterations == 0 ? time : time / static_cast<double>(iterations);
}

double BenchmarkReporter::Run::GetAdjustedCPUTime() const {
  const double time = cpu_accumulated_time * GetTimeUnitMultiplier(time_unit);
  return iterations == 0 ? time : time / static_cast<double>(iterations);
}

TALLYMARK_FACADE_END
