/// The figures of a case on a device, beside its time: the host's part, and the device's.
///
/// Owns: the figures of a record, and how they come of samples. All times are seconds for one execution, unless they
/// say otherwise. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measurement/card_state.h"
#include "measurement/statistics.h"

namespace tally {

/// As measured, many executions between two waits for the device.
struct DeviceSamples {
  double wait_s = 0;             ///< Of a block, whatever it executes: taken off of the case's times already.
  std::vector<double> launch_s;  ///< Until all that the host had to do was done.
  std::vector<CardWatch> cards;  ///< All that the case may use; none where none was read.
  bool flushed = false;          ///< The device's cache was written over before each execution.
  std::vector<double> device_s;  ///< By the device's own clock, from what it was given first to what it was given last.
  friend bool operator==(const DeviceSamples&, const DeviceSamples&) = default;
};

struct DeviceTime {
  double median_s = 0;
  Interval interval_s;  ///< 95 %, of the median.
  std::uint64_t samples = 0;
  friend bool operator==(const DeviceTime&, const DeviceTime&) = default;
};

/// Kernels of one name, for one execution.
struct DeviceKernel {
  std::string name;
  double count = 0;
  double time_s = 0;
  friend bool operator==(const DeviceKernel&, const DeviceKernel&) = default;
};

/// What a profiler saw of some executions; figures are for one of them.
struct DeviceWork {
  std::uint64_t executions = 1;
  double kernels = 0;
  double kernel_time_s = 0;           ///< The kernels' own time, added up: of those that run at once, all count.
  Interval kernel_time_interval_s;    ///< 95 %, as kernels of one name differ from each other.
  double copies = 0;                  ///< And fills.
  double launches = 0;                ///< By the host, of kernels, copies, fills and graphs.
  double idle_share = 0;              ///< Of the time from the first work's start to the last one's end.
  std::vector<DeviceKernel> by_name;  ///< Longest time first.
  std::optional<std::vector<std::uint32_t>> devices;  ///< That had work, by their numbers in the process; rising.
  std::optional<std::string> cache;  ///< "warm": where times are of a cold one, and these figures are not.
  friend bool operator==(const DeviceWork&, const DeviceWork&) = default;
};

struct OnDevice {
  std::string name;  ///< "cuda"
  std::optional<double> wait_s;
  std::optional<std::string> flush;  ///< "l2": each execution that was timed found that cache written over.
  std::optional<std::map<std::string, std::string>> settings;  ///< Of its process: "cudnn.benchmark" is "False".
  /// Before and after times were taken; those that the case has used, or all that it may use.
  std::optional<std::vector<CardWatch>> cards;
  std::optional<DeviceTime> launch;  ///< The host's part: launching, and all else that it does.
  std::optional<DeviceTime> time;    ///< Between two events of the device's own.
  std::optional<DeviceWork> work;
  friend bool operator==(const OnDevice&, const OnDevice&) = default;
};

/// The figures of its work are of a warm cache, and its times of a cold one.
bool has_warm_work(const OnDevice& device);

/// Empty where there are no samples, or none but zeros: there is no such clock.
std::optional<DeviceTime> device_time(const std::vector<double>& samples);

}  // namespace tally
