#include "measurement/device_times.h"

namespace tally {

std::optional<DeviceTime> device_time(const std::vector<double>& samples) {
  const double middle = median(samples);
  if (samples.empty() || middle <= 0) return std::nullopt;
  return DeviceTime{.median_s = middle, .interval_s = median_interval(samples), .samples = samples.size()};
}

bool has_warm_work(const OnDevice& device) {
  // Records from before the mark have none of a cold cache either.
  return device.work && device.flush && device.work->cache.value_or("warm") == "warm";
}

}  // namespace tally
