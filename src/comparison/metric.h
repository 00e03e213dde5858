/// What can be compared of a case: the metrics by name, and their value in one case's record.
///
/// Owns: the names, which limits, options and outputs share. Values are per iteration: instructions and other counts as
/// numbers, times as seconds. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "record/record.h"

namespace tally {

/// `device_time`: the kernels' own time, added up; `launch_time`: the host's part; both of cases on a device.
/// `memory`: the peak of a command, or of a benchmark that reports it, in bytes. `value`: what a benchmark reports.
enum class Metric {
  instructions,
  denoised,
  time,
  allocations,
  bytes,
  cycles,
  kernels,
  device_time,
  launch_time,
  memory,
  value
};

/// It is in seconds.
bool is_time(Metric metric);

/// It follows from what was counted: neither a time, nor kernels, nor what a case used or reports.
bool is_count(Metric metric);

std::string_view to_string(Metric metric);
std::optional<Metric> metric_named(std::string_view name);

/// All of them, in the order of their declaration.
std::span<const std::string_view> metric_names();

/// A case's value, and the range within which a difference from it means nothing: a count's noise floor where one was
/// measured, a time's 95 % interval of the median, else the value itself.
struct MetricValue {
  double value = 0;
  Interval range;
};

/// Nothing where the case was not ok, that metric was not measured, or its value is below zero and so no figure.
std::optional<MetricValue> metric_of(const CaseRecord& one, Metric metric);

/// The case is ok, and its count of that metric is below zero (is_below_zero()).
bool has_below_zero(const CaseRecord& one, Metric metric);

}  // namespace tally
