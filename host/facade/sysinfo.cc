#include "benchmark/sysinfo.h"

#include <sys/personality.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

TALLYMARK_FACADE_BEGIN

namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// How many CPUs a hexadecimal mask with commas has.
int count_mask(const std::string& mask) {
  int count = 0;
  for (const char c : mask) {
    if (c == ',') continue;
    const std::string digit(1, c);
    for (long bits = std::strtol(digit.c_str(), nullptr, 16); bits != 0; bits &= bits - 1) ++count;
  }
  return count;
}

std::vector<CPUInfo::CacheInfo> caches() {
  std::vector<CPUInfo::CacheInfo> all;
  for (int i = 0;; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const std::string size = first_line(folder + "size");
    if (size.empty()) return all;
    int bytes = std::atoi(size.c_str());
    if (size.back() == 'K') bytes *= 1024;
    if (size.back() == 'M') bytes *= 1024 * 1024;
    all.push_back({first_line(folder + "type"), std::atoi(first_line(folder + "level").c_str()), bytes,
                   count_mask(first_line(folder + "shared_cpu_map"))});
  }
}

/// What the kernel says that it may have, else what it has now; 0: not known.
double cycles_per_second() {
  const std::string highest = first_line("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  if (!highest.empty()) return std::atof(highest.c_str()) * 1000;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("cpu MHz", 0) == 0) return std::atof(line.substr(line.find(':') + 1).c_str()) * 1e6;
  }
  return 0;
}

CPUInfo::Scaling scaling(int cpus) {
  for (int i = 0; i < cpus; ++i) {
    const std::string governor =
        first_line("/sys/devices/system/cpu/cpu" + std::to_string(i) + "/cpufreq/scaling_governor");
    if (governor.empty()) return CPUInfo::UNKNOWN;
    if (governor != "performance") return CPUInfo::ENABLED;
  }
  return CPUInfo::DISABLED;
}

}  // namespace

CPUInfo::CPUInfo()
    : num_cpus(static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN))),
      scaling(::benchmark::scaling(num_cpus)),
      cycles_per_second(::benchmark::cycles_per_second()),
      caches(::benchmark::caches()) {
  double load[3];
  const int known = ::getloadavg(load, 3);
  if (known > 0) load_avg.assign(load, load + known);
}

const CPUInfo& CPUInfo::Get() {
  static const CPUInfo info;
  return info;
}

SystemInfo::SystemInfo() : ASLRStatus(ASLR::UNKNOWN) {
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) == 0) name = host;
  const int now = ::personality(0xffffffff);
  if (now >= 0) ASLRStatus = (now & ADDR_NO_RANDOMIZE) != 0 ? ASLR::DISABLED : ASLR::ENABLED;
}

const SystemInfo& SystemInfo::Get() {
  static const SystemInfo info;
  return info;
}

TALLYMARK_FACADE_END
