/// Reads the kernel's figures of a timed case's CPUs: their clock, the time that other guests of the machine stole, and
/// thermal throttling.
///
/// Sources: /proc/stat (the eighth figure of a CPU's line is stolen time, in ticks of 10 ms), cpufreq/scaling_cur_freq
/// (kHz), thermal_throttle/{core,package}_throttle_count. What a machine does not report stays empty; nothing is
/// guessed: a virtual machine has no cpufreq, and the clock that /proc/cpuinfo names there is the nominal one. Which
/// files there are is found out once. A reading starts no process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measurement/wall.h"

namespace tally {

/// Where the kernel says so; tests name other folders.
struct CpuFiles {
  std::string stat = "/proc/stat";
  std::string cpus = "/sys/devices/system/cpu";
};

class CpuWatch {
 public:
  explicit CpuWatch(std::vector<int> cpus, const CpuFiles& files = {});

  /// A child is about to be timed: what has happened until now is not its.
  void begin();
  /// It has taken so many samples. Another may follow at once, without begin().
  void end(std::size_t samples);

  /// Of the time watched so far, 0 … 1; 0 where the kernel does not report it.
  [[nodiscard]] double steal_share() const;
  /// Empty when the kernel reported nothing at all.
  [[nodiscard]] std::optional<WallWatch> seen() const;

 private:
  struct Reading {
    std::optional<std::uint64_t> stolen_ticks;
    std::uint64_t all_ticks = 0;
    std::uint64_t throttlings = 0;
  };
  Reading read();
  void note_clock(double mhz);

  std::vector<int> cpus_;
  std::string stat_;
  std::vector<std::string> clocks_;
  std::vector<std::string> throttle_counters_;
  Reading last_;
  WallWatch watch_;
  std::uint64_t samples_ = 0;
  std::uint64_t stolen_ticks_ = 0;
  std::uint64_t all_ticks_ = 0;
  bool has_steal_ = false;
};

}  // namespace tally
