#include "comparison/device_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace tally {

namespace {

constexpr double kLeastChange = 1e-6;  // a kernel in a million executions

struct Moved {
  std::string name;
  double count = 0;
  double time_s = 0;
};

/// Those of another number, by how much their time changed.
std::vector<Moved> moved_kernels(const DeviceWork& before, const DeviceWork& after) {
  std::map<std::string, Moved> by_name;
  for (const auto& [work, sign] : {std::pair{&before, -1.0}, std::pair{&after, 1.0}}) {
    for (const DeviceKernel& kernel : work->by_name) {
      Moved& one = by_name[kernel.name];
      one.name = kernel.name;
      one.count += sign * kernel.count;
      one.time_s += sign * kernel.time_s;
    }
  }
  std::vector<Moved> moved;
  for (auto& [name, one] : by_name) {
    if (std::abs(one.count) > kLeastChange) moved.push_back(std::move(one));
  }
  std::ranges::sort(moved, {}, [](const Moved& one) { return std::pair(-std::abs(one.time_s), one.name); });
  return moved;
}

}  // namespace

CountChange kernels_change(double before, double after) {
  return {.before = before,
          .after = after,
          .change = relative_change(before, after),
          .threshold = kLeastChange,
          .metric = Metric::kernels,
          .unit = "kernels"};
}

bool kernels_changed(const DeviceWork& before, const DeviceWork& after) {
  return std::abs(after.kernels - before.kernels) > kLeastChange || !moved_kernels(before, after).empty();
}

std::string describe_kernel_change(const DeviceWork& before, const DeviceWork& after) {
  constexpr std::size_t kMostNames = 3;
  constexpr double kNoShare = 0.005;
  const std::vector<Moved> moved = moved_kernels(before, after);
  if (moved.empty()) return {};
  std::string text = fmt::format("kernels {:g} → {:g} for one execution", before.kernels, after.kernels);
  const double difference = after.kernel_time_s - before.kernel_time_s;
  for (std::size_t i = 0; i < std::min(moved.size(), kMostNames); ++i) {
    const Moved& one = moved[i];
    text += fmt::format("{} {:g} {} of {}", i == 0 ? ":" : ",", std::abs(one.count), one.count > 0 ? "more" : "fewer",
                        one.name);
    const double share = difference == 0 ? 0 : one.time_s / difference;
    if (share > kNoShare && share <= 1 + kNoShare)
      text += fmt::format(", {:.0f} % of the difference in time", share * 100);
  }
  if (moved.size() > kMostNames) text += fmt::format(", and {} other names", moved.size() - kMostNames);
  return text;
}

std::string why_device_times_refused(const OnDevice& before, const OnDevice& after) {
  if (before.flush == after.flush) return {};
  const auto state = [](const OnDevice& one) { return one.flush ? "cold (flush = \"l2\")" : "warm"; };
  return fmt::format("the device's cache is {} in the base and {} now", state(before), state(after));
}

std::vector<std::string> changed_settings(const OnDevice& before, const OnDevice& after) {
  std::vector<std::string> changes;
  if (!before.settings || !after.settings) return changes;
  for (const auto& [name, value] : *before.settings) {
    const auto now = after.settings->find(name);
    if (now != after.settings->end() && now->second != value)
      changes.push_back(fmt::format("{}: {} → {}", name, value, now->second));
  }
  return changes;
}

}  // namespace tally
