#include "comparison/metric.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "comparison/count_change.h"

namespace tally {
namespace {

constexpr std::array<std::string_view, 11> kAllNames = {"instructions", "denoised", "time",    "allocations",
                                                        "bytes",        "cycles",   "kernels", "device_time",
                                                        "launch_time",  "memory",   "value"};

bool is_of_device(Metric metric) {
  return metric == Metric::kernels || metric == Metric::device_time || metric == Metric::launch_time;
}

std::optional<MetricValue> value_on_device(const OnDevice& device, Metric metric) {
  if (metric == Metric::launch_time) {
    if (!device.launch) return std::nullopt;
    return MetricValue{.value = device.launch->median_s, .range = device.launch->interval_s};
  }
  if (!device.work) return std::nullopt;
  if (metric == Metric::device_time)
    return MetricValue{.value = device.work->kernel_time_s, .range = device.work->kernel_time_interval_s};
  return MetricValue{.value = device.work->kernels,
                     .range = {.low = device.work->kernels, .high = device.work->kernels}};
}

std::optional<double> count_of(const Counts& counts, Metric metric) {
  switch (metric) {
    case Metric::denoised:
      return counts.denoised;
    case Metric::allocations:
      return counts.allocations;
    case Metric::bytes:
      return counts.allocated_bytes;
    case Metric::cycles:
      return counts.estimated_cycles;
    default:
      return counts.per_iteration;
  }
}

}  // namespace

bool is_time(Metric metric) {
  return metric == Metric::time || metric == Metric::device_time || metric == Metric::launch_time;
}

bool is_count(Metric metric) {
  return metric != Metric::time && metric != Metric::memory && metric != Metric::value && !is_of_device(metric);
}

std::string_view to_string(Metric metric) { return kAllNames.at(static_cast<std::size_t>(metric)); }

std::optional<Metric> metric_named(std::string_view name) {
  const auto* const found = std::ranges::find(kAllNames, name);
  if (found == kAllNames.end()) return std::nullopt;
  return static_cast<Metric>(found - kAllNames.begin());
}

std::span<const std::string_view> metric_names() { return kAllNames; }

std::optional<MetricValue> metric_of(const CaseRecord& one, Metric metric) {
  if (one.status != CaseStatus::ok) return std::nullopt;
  if (metric == Metric::time) {
    if (!one.wall) return std::nullopt;
    return MetricValue{.value = one.wall->median_s, .range = one.wall->interval_s};
  }
  if (metric == Metric::memory) {
    if (!one.used) return std::nullopt;
    const auto bytes = static_cast<double>(one.used->peak_bytes);
    // What one process reports: the kernel adds its CPUs' shares up now and then (0.45 MiB apart for one benchmark that
    // came first or second). Of a command the largest of several executions is known.
    const double reach = one.language == "command" ? 0 : 512.0 * 1024;
    return MetricValue{.value = bytes, .range = {.low = bytes - reach, .high = bytes + reach}};
  }
  if (metric == Metric::value) {
    if (!one.reported) return std::nullopt;
    return MetricValue{.value = one.reported->value,
                       .range = {.low = one.reported->value, .high = one.reported->value}};
  }
  if (is_of_device(metric)) return one.on_device ? value_on_device(*one.on_device, metric) : std::nullopt;
  if (!one.counts) return std::nullopt;
  const std::optional<double> value = count_of(*one.counts, metric);
  if (!value || is_below_zero(*value)) return std::nullopt;
  MetricValue found{.value = *value, .range = {.low = *value, .high = *value}};
  if (metric == Metric::instructions && one.counts->floor)
    found.range = {.low = one.counts->floor->low, .high = one.counts->floor->high};
  return found;
}

bool has_below_zero(const CaseRecord& one, Metric metric) {
  if (one.status != CaseStatus::ok || !is_count(metric) || !one.counts) return false;
  const std::optional<double> value = count_of(*one.counts, metric);
  return value && is_below_zero(*value);
}

}  // namespace tally
