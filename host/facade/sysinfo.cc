#include "benchmark/sysinfo.h"

#include <sys/personality.h>
#include <unistd.h>

#include <algorithm>
#include <bitset>
#include <cctype>
#include <cstdlib>
#include <fstream>

TALLYMARK_FACADE_BEGIN

namespace {

const std::string kCpus = "/sys/devices/system/cpu/cpu";

/// A file's first word; empty where there is none.
std::string word_of(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

CPUInfo::Scaling scaling_of(int cpus) {
  if (cpus <= 0) return CPUInfo::UNKNOWN;
  for (int i = 0; i < cpus; ++i) {
    const std::string governor = word_of(kCpus + std::to_string(i) + "/cpufreq/scaling_governor");
    if (!governor.empty() && governor != "performance") return CPUInfo::ENABLED;
  }
  return CPUInfo::DISABLED;
}

double frequency() {
  for (const char* file : {"0/tsc_freq_khz", "0/cpufreq/base_frequency", "0/cpufreq/cpuinfo_max_freq"}) {
    if (const double khz = std::atof(word_of(kCpus + file).c_str()); khz > 0) return khz * 1e3;
  }
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("cpu MHz", 0) != 0) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos) return std::atof(line.c_str() + colon + 1) * 1e6;
  }
  return 0;
}

/// "00000000,0000000f": 4
int bits_of(const std::string& mask) {
  int bits = 0;
  for (const char c : mask) {
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) continue;
    const char digit[] = {c, 0};
    bits += static_cast<int>(std::bitset<4>(std::strtoul(digit, nullptr, 16)).count());
  }
  return bits;
}

std::vector<CPUInfo::CacheInfo> caches() {
  std::vector<CPUInfo::CacheInfo> all;
  for (int i = 0;; ++i) {
    const std::string folder = kCpus + "0/cache/index" + std::to_string(i) + "/";
    const std::string size = word_of(folder + "size");
    if (size.empty()) return all;
    const int unit = size.back() == 'K' ? 1 << 10 : size.back() == 'M' ? 1 << 20 : 1;
    all.push_back({word_of(folder + "type"), std::atoi(word_of(folder + "level").c_str()),
                   std::atoi(size.c_str()) * unit, bits_of(word_of(folder + "shared_cpu_map"))});
  }
}

std::vector<double> load() {
  double values[3];
  const int count = ::getloadavg(values, 3);
  return {values, values + std::max(0, count)};
}

SystemInfo::ASLR randomised() {
  const int now = ::personality(0xffffffff);
  if (now == -1) return SystemInfo::ASLR::UNKNOWN;
  return (now & ADDR_NO_RANDOMIZE) != 0 ? SystemInfo::ASLR::DISABLED : SystemInfo::ASLR::ENABLED;
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace

CPUInfo::CPUInfo()
    : num_cpus(static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN))),
      scaling(scaling_of(num_cpus)),
      cycles_per_second(frequency()),
      caches(::benchmark::caches()),
      load_avg(load()) {}

const CPUInfo& CPUInfo::Get() {
  static const CPUInfo info;
  return info;
}

SystemInfo::SystemInfo() : name(host_name()), ASLRStatus(randomised()) {}

const SystemInfo& SystemInfo::Get() {
  static const SystemInfo info;
  return info;
}

TALLYMARK_FACADE_END
