#include "report/history_columns.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tally {
namespace {

using json::Array;
using json::Object;

/// Counts are totals of many iterations: three decimals are what hundreds of iterations leave.
constexpr std::int64_t kCountScale = 1000;

/// A power of ten of seconds in which the least time has five figures.
double unit_of(const CaseSeries& series) {
  double least = 1;
  for (const SeriesPoint& point : series.points) {
    if (point.has_time() && point.time_s > 0) least = std::min(least, point.time_s);
  }
  return std::pow(10.0, std::floor(std::log10(std::max(least, 1e-12))) - 4);
}

std::vector<const SeriesPoint*> counted(const CaseSeries& series) {
  std::vector<const SeriesPoint*> points;
  points.reserve(series.points.size());
  for (const SeriesPoint& point : series.points) {
    if (point.has_count()) points.push_back(&point);
  }
  return points;
}

Object times_json(const std::vector<const SeriesPoint*>& points, double unit_s) {
  Differences point, median;
  Array below, above;
  const auto in_units = [unit_s](double seconds) {
    return std::isfinite(seconds) ? static_cast<std::int64_t>(std::llround(seconds / unit_s)) : 0;
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i]->has_time()) continue;
    const double middle = points[i]->time_s;
    point.add(static_cast<std::int64_t>(i));
    median.add(in_units(middle));
    below.emplace_back(in_units(middle - static_cast<double>(points[i]->time_low_s)));
    above.emplace_back(in_units(static_cast<double>(points[i]->time_high_s) - middle));
  }
  return {{"unit_s", unit_s},
          {"point", point.take()},
          {"median", median.take()},
          {"below", std::move(below)},
          {"above", std::move(above)}};
}

}  // namespace

Object series_json(const CaseSeries& series) {
  const std::vector<const SeriesPoint*> points = counted(series);
  Differences run, counts;
  for (const SeriesPoint* point : points) {
    run.add(point->run);
    counts.add(std::llround(point->instructions * kCountScale));
  }
  return {{"scale", kCountScale},
          {"run", run.take()},
          {"counts", counts.take()},
          {"time", times_json(points, unit_of(series))}};
}

Array spark_json(const CaseSeries& series) {
  constexpr std::size_t most = 60;
  constexpr double top = 99;
  const std::vector<const SeriesPoint*> points = counted(series);
  if (points.empty()) return {};
  const auto count = [](const SeriesPoint* point) { return point->instructions; };
  const auto [least, largest] = std::ranges::minmax(points, {}, count);
  const double range = count(largest) - count(least);
  const std::size_t shown = std::min(most, points.size());
  Array shares;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t at = shown == 1 ? 0 : i * (points.size() - 1) / (shown - 1);
    const double share = range > 0 ? (count(points[at]) - count(least)) / range : 0.5;
    shares.emplace_back(std::lround(top * share));
  }
  return shares;
}

}  // namespace tally
