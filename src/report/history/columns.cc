#include "report/history/columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

namespace tally {
namespace {

using json::Array;
using json::Object;

/// Counts are totals of many iterations: three decimals are what hundreds of iterations leave.
constexpr double kCountScale = 1000;

/// Of values, which may be of any size: in whole numbers the least has nine figures.
double scale_of(const CaseSeries& series, const History& history) {
  double least = std::numeric_limits<double>::infinity();
  double largest = 0;
  bool is_counted = true;
  for (const SeriesPoint& point : series.points) {
    if (!point.has_figure()) continue;
    const double size = std::abs(point.figure);
    is_counted = is_counted && history.basis_of(point).metric == Metric::instructions;
    if (size > 0) least = std::min(least, size);
    largest = std::max(largest, size);
  }
  if (is_counted || largest == 0) return kCountScale;
  constexpr double most = 9e15;  // Beyond it a double has no whole numbers of its own.
  const double wanted = std::pow(10.0, 8 - std::floor(std::log10(least)));
  return std::min(wanted, std::pow(10.0, std::floor(std::log10(most / largest))));
}

/// A power of ten of seconds in which the least time has five figures.
double unit_of(const CaseSeries& series) {
  double least = 1;
  for (const SeriesPoint& point : series.points) {
    if (point.has_time() && point.time_s > 0) least = std::min(least, point.time_s);
  }
  return std::pow(10.0, std::floor(std::log10(std::max(least, 1e-12))) - 4);
}

std::vector<const SeriesPoint*> with_figures(const CaseSeries& series) {
  std::vector<const SeriesPoint*> points;
  points.reserve(series.points.size());
  for (const SeriesPoint& point : series.points) {
    if (point.has_figure()) points.push_back(&point);
  }
  return points;
}

Object times_json(const std::vector<const SeriesPoint*>& points, const History& history, double unit_s) {
  Differences point, median;
  Array below, above, processor;
  std::map<std::string_view, std::int64_t> numbers;  // of processors, as they come
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
    processor.emplace_back(
        numbers.try_emplace(history.part_of(*points[i]).processor, static_cast<std::int64_t>(numbers.size()))
            .first->second);
  }
  Object json = {{"unit_s", unit_s},
                 {"point", point.take()},
                 {"median", median.take()},
                 {"below", std::move(below)},
                 {"above", std::move(above)}};
  if (numbers.size() > 1) json["processor"] = std::move(processor);
  return json;
}

}  // namespace

Object series_json(const CaseSeries& series, const History& history) {
  const double scale = scale_of(series, history);
  const std::vector<const SeriesPoint*> points = with_figures(series);
  Differences run, counts;
  for (const SeriesPoint* point : points) {
    run.add(point->run);
    counts.add(std::llround(point->figure * scale));
  }
  return {{"scale", scale < 1 ? json::Value(scale) : json::Value(std::llround(scale))},
          {"run", run.take()},
          {"counts", counts.take()},
          {"time", times_json(points, history, unit_of(series))}};
}

Array spark_json(const CaseSeries& series) {
  constexpr std::size_t most = 60;
  constexpr double top = 99;
  const std::vector<const SeriesPoint*> points = with_figures(series);
  if (points.empty()) return {};
  const auto count = [](const SeriesPoint* point) { return point->figure; };
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
