#include "comparison/axes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "base/text.h"

namespace tally {
namespace {

constexpr std::array<std::string_view, 5> kFixedAxes = {"label", "language", "runtime", "autograd", "threads"};

/// No value holds this; it stands for a parameter that a case does not have.
constexpr char kAbsent = '\x1f';
constexpr char kSeparator = '\x1e';

void sort_numbers(Axis& axis) {
  axis.numeric = axis.name != "label" && !axis.values.empty() &&
                 std::ranges::all_of(axis.values, [](const std::string& text) { return number_in(text).has_value(); });
  if (!axis.numeric) return;
  std::ranges::sort(axis.values, {}, [](const std::string& text) {
    return std::pair(number_in(text).value_or(0), text);  // 4 and 4.0 are two values of one size
  });
}

}  // namespace

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<std::string> value_on(const CaseDescription& one, std::string_view axis) {
  if (axis == "label") return join(one.label, " / ");
  if (axis == "language") return one.language;
  if (axis == "runtime") return one.runtime;
  if (axis == "autograd") return one.autograd;
  if (axis == "device") return one.device.value_or("cpu");
  if (axis == "threads") return std::to_string(one.threads);
  for (const auto& [name, value] : one.params) {
    if (name == axis) return value;
  }
  return std::nullopt;
}

std::vector<Axis> axes_of(const Record& record) {
  std::vector<Axis> axes;
  axes.reserve(kFixedAxes.size());
  for (const std::string_view name : kFixedAxes) axes.push_back({.name = std::string(name)});
  const auto names_device = [](const CaseRecord& one) { return one.device.has_value(); };
  if (std::ranges::any_of(record.cases, names_device)) axes.push_back({.name = "device"});
  std::unordered_set<std::string_view> names(kFixedAxes.begin(), kFixedAxes.end());
  for (const CaseRecord& one : record.cases) {
    for (const auto& [name, value] : one.params) {
      if (names.insert(name).second) axes.push_back({.name = name});
    }
  }
  for (Axis& axis : axes) {
    std::unordered_set<std::string> seen;
    for (const CaseRecord& one : record.cases) {
      const std::optional<std::string> value = value_on(one, axis.name);
      if (value && seen.insert(*value).second) axis.values.push_back(*value);
    }
    sort_numbers(axis);
  }
  return axes;
}

std::string identity_without(const CaseDescription& one, std::span<const Axis> axes,
                             std::span<const std::string> left_out) {
  std::string identity;
  for (const Axis& axis : axes) {
    if (std::ranges::find(left_out, axis.name) != left_out.end()) continue;
    identity += value_on(one, axis.name).value_or(std::string(1, kAbsent));
    identity += kSeparator;
  }
  return identity;
}

std::size_t cases_with_siblings(const Record& record, std::span<const Axis> axes, const std::string& axis) {
  std::map<std::string, std::size_t> alike;
  for (const CaseRecord& one : record.cases) {
    if (value_on(one, axis)) ++alike[identity_without(one, axes, std::array{axis})];
  }
  std::size_t cases = 0;
  for (const auto& [identity, count] : alike) cases += count > 1 ? count : 0;
  return cases;
}

std::vector<Series> series_of(const Record& record) {
  const std::vector<Axis> axes = axes_of(record);
  std::vector<Series> all;
  for (const Axis& axis : axes) {
    if (!axis.numeric || axis.values.size() < 2) continue;
    std::vector<Series> found;
    std::map<std::string, std::size_t> place;
    for (const CaseRecord& one : record.cases) {
      const std::optional<std::string> value = value_on(one, axis.name);
      if (!value) continue;
      const auto [at, is_new] = place.try_emplace(identity_without(one, axes, std::array{axis.name}), found.size());
      if (is_new) found.push_back({.axis = axis.name, .points = {}});
      found[at->second].points.push_back({.n = number_in(*value).value_or(0), .of = &one});
    }
    for (Series& series : found) {
      if (series.points.size() < 2) continue;
      std::ranges::sort(series.points, {}, [](const Series::Point& point) { return std::pair(point.n, point.of); });
      all.push_back(std::move(series));
    }
  }
  return all;
}

std::optional<Complexity> complexity_of(const Series& series, Metric metric) {
  std::vector<GrowthPoint> points;
  for (const Series::Point& point : series.points) {
    if (const std::optional<MetricValue> found = metric_of(*point.of, metric))
      points.push_back({.n = point.n, .value = found->value});
  }
  return complexity_of(points);
}

}  // namespace tally
