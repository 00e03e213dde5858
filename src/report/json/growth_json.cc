#include "report/json/growth_json.h"

#include <algorithm>
#include <map>
#include <utility>

#include "report/text/format.h"

namespace tally {
namespace {

using json::Array;
using json::Object;
using json::Value;

Object fit_json(const GrowthFit& fit) {
  return {{"order", to_string(fit.order)}, {"constant", fit.constant}, {"coefficient", fit.coefficient},
          {"residual", fit.residual},      {"big_o", fit.big_o},       {"rms", fit.rms}};
}

/// What a curve is drawn by.
Value best_json(const std::optional<Complexity>& complexity) {
  if (!complexity) return {};
  const GrowthFit& fit = complexity->fit();
  return Object{{"order", to_string(fit.order)},
                {"constant", fit.constant},
                {"coefficient", fit.coefficient},
                {"residual", fit.residual}};
}

/// The variant without the axis that the line runs along.
std::string line_name(const Series& series) {
  CaseRecord one;
  const CaseRecord& first = *series.points.front().of;
  one.language = first.language;
  one.runtime = first.runtime;
  one.autograd = first.autograd;
  one.device = first.device;
  one.threads = series.axis == "threads" ? 1 : first.threads;
  for (const auto& parameter : first.params) {
    if (parameter.first != series.axis) one.params.push_back(parameter);
  }
  return variant_text(one);
}

}  // namespace

Value complexity_json(const std::optional<Complexity>& complexity) {
  if (!complexity) return {};
  Array fits;
  for (const GrowthFit& fit : complexity->fits) fits.push_back(fit_json(fit));
  return Object{{"order", to_string(complexity->best)}, {"points", complexity->points}, {"fits", std::move(fits)}};
}

Array growth_json(const Record& record) {
  std::vector<std::pair<Object, Array>> groups;  // and their lines
  std::map<std::pair<std::string, std::string>, std::size_t> place;
  for (const Series& series : series_of(record)) {
    const std::string label = label_text(*series.points.front().of);
    const auto [at, is_new] = place.try_emplace({label, series.axis}, groups.size());
    if (is_new) groups.push_back({Object{{"axis", series.axis}, {"label", label}}, {}});
    Array points;
    for (const Series::Point& point : series.points)
      points.push_back(Array{point.n, static_cast<std::size_t>(point.of - record.cases.data())});
    groups[at->second].second.push_back(Object{{"variant", line_name(series)},
                                               {"points", std::move(points)},
                                               {"counts", best_json(complexity_of(series, Metric::instructions))},
                                               {"time", best_json(complexity_of(series, Metric::time))}});
  }
  Array all;
  for (auto& [group, lines] : groups) {
    group["lines"] = std::move(lines);
    all.push_back(std::move(group));
  }
  return all;
}

}  // namespace tally
