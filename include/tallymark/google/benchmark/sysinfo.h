/// The machine, for a report's head.
#ifndef TALLYMARK_BENCHMARK_SYSINFO_H
#define TALLYMARK_BENCHMARK_SYSINFO_H

#include "benchmark/types.h"

TALLYMARK_FACADE_BEGIN

struct CPUInfo {
  struct CacheInfo {
    std::string type;  ///< "Data", "Instruction", "Unified"
    int level;
    int size;         ///< Bytes.
    int num_sharing;  ///< CPUs.
  };
  enum Scaling { UNKNOWN, ENABLED, DISABLED };

  int num_cpus;
  Scaling scaling;
  double cycles_per_second;  ///< 0: not known.
  std::vector<CacheInfo> caches;
  std::vector<double> load_avg;

  static const CPUInfo& Get();

 private:
  CPUInfo();
};

struct SystemInfo {
  enum class ASLR { UNKNOWN, ENABLED, DISABLED };

  std::string name;  ///< The host's.
  ASLR ASLRStatus;

  static const SystemInfo& Get();

 private:
  SystemInfo();
};

TALLYMARK_FACADE_END

#endif
