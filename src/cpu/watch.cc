#include "cpu/watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/files.h"
#include "base/text.h"

namespace tally {

namespace {

/// The first number in a small file of the kernel's, if it is there.
std::optional<std::uint64_t> number_in(const std::string& path) {
  const auto text = read_file(path);
  std::uint64_t number = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc()) return {};
  return number;
}

constexpr std::size_t kFigures = 8;  // user nice system idle iowait irq softirq steal; guests count as user already
using Ticks = std::array<std::uint64_t, kFigures>;

/// The figures of "cpu3 12 0 …"; nothing for a kernel that does not report all of them.
std::optional<Ticks> ticks_of(int cpu, std::string_view stat) {
  const std::string name = fmt::format("\ncpu{} ", cpu);
  const std::size_t found = stat.find(name);
  if (found == std::string_view::npos) return {};
  const char* at = stat.data() + found + name.size();
  const char* end = stat.data() + stat.size();
  Ticks ticks{};
  for (std::uint64_t& figure : ticks) {
    while (at < end && *at == ' ') ++at;
    const auto [next, code] = std::from_chars(at, end, figure);
    if (code != std::errc()) return {};
    at = next;
  }
  return ticks;
}

}  // namespace

CpuWatch::CpuWatch(std::vector<int> cpus, const CpuFiles& files) : cpus_(std::move(cpus)), stat_(files.stat) {
  const auto add_if_there = [](std::vector<std::string>& to, std::string path) {
    if (::access(path.c_str(), R_OK) == 0) to.push_back(std::move(path));
  };
  for (const int cpu : cpus_) {
    const std::string folder = fmt::format("{}/cpu{}", files.cpus, cpu);
    add_if_there(clocks_, folder + "/cpufreq/scaling_cur_freq");
    add_if_there(throttle_counters_, folder + "/thermal_throttle/core_throttle_count");
    add_if_there(throttle_counters_, folder + "/thermal_throttle/package_throttle_count");
  }
}

void CpuWatch::note_clock(double mhz) {
  watch_.frequency_mhz_low = std::min(watch_.frequency_mhz_low.value_or(mhz), mhz);
  watch_.frequency_mhz_high = std::max(watch_.frequency_mhz_high.value_or(mhz), mhz);
}

CpuWatch::Reading CpuWatch::read() {
  Reading reading;
  const std::string stat = read_file(stat_).value_or("");
  for (const int cpu : cpus_) {
    if (const auto ticks = ticks_of(cpu, stat)) {
      reading.stolen_ticks = reading.stolen_ticks.value_or(0) + ticks->back();
      for (const std::uint64_t figure : *ticks) reading.all_ticks += figure;
    }
  }
  for (const std::string& clock : clocks_) {
    if (const auto khz = number_in(clock)) note_clock(static_cast<double>(*khz) / 1000);
  }
  for (const std::string& counter : throttle_counters_) reading.throttlings += number_in(counter).value_or(0);
  return reading;
}

void CpuWatch::begin() { last_ = read(); }

void CpuWatch::end(std::size_t samples) {
  const Reading now = read();
  if (now.stolen_ticks && last_.stolen_ticks) {
    has_steal_ = true;
    // The kernel's idle figures may run backwards by a tick.
    stolen_ticks_ += std::max(*now.stolen_ticks, *last_.stolen_ticks) - *last_.stolen_ticks;
    all_ticks_ += std::max(now.all_ticks, last_.all_ticks) - last_.all_ticks;
  }
  if (now.throttlings > last_.throttlings) {
    for (std::size_t i = 0; i < samples; ++i) watch_.throttled.push_back(samples_ + i);
  }
  samples_ += samples;
  last_ = now;
}

double CpuWatch::steal_share() const {
  return all_ticks_ > 0 ? static_cast<double>(stolen_ticks_) / static_cast<double>(all_ticks_) : 0;
}

std::optional<WallWatch> CpuWatch::seen() const {
  WallWatch watch = watch_;
  if (has_steal_ && all_ticks_ > 0) watch.steal_share = steal_share();
  if (watch == WallWatch{}) return {};
  return watch;
}

}  // namespace tally
