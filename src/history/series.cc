#include "history/series.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "history/environment_name.h"

namespace tally {

bool SeriesPoint::has_figure() const { return status == CaseStatus::ok && !std::isnan(figure); }

bool SeriesPoint::has_time() const { return status == CaseStatus::ok && !std::isnan(time_s); }

CountFigures figures_of(const SeriesPoint& point) {
  const auto known = [](double value) { return std::isnan(value) ? std::nullopt : std::optional(value); };
  return {.instructions = point.figure,
          .denoised = known(point.denoised),
          .floor = known(point.floor),
          .doubt = point.doubt};
}

SeriesPoint point_of(const CaseRecord& one) {
  SeriesPoint point{.status = one.status};
  if (one.counts) {
    const CountFigures figures = figures_of(*one.counts);
    point.figure = figures.instructions;
    point.denoised = figures.denoised.value_or(SeriesPoint::kNone);
    point.floor = figures.floor.value_or(SeriesPoint::kNone);
    point.doubt = figures.doubt;
  }
  if (const auto reported = reported_figure(one)) {
    point.figure = reported->value;
    point.floor = reported->floor;
  }
  if (one.wall) {
    point.time_s = one.wall->median_s;
    point.time_low_s = static_cast<float>(one.wall->interval_s.low);
    point.time_high_s = static_cast<float>(one.wall->interval_s.high);
  }
  return point;
}

Basis basis_of(const Settings& settings, const CaseRecord& one) {
  Basis basis{.definition = one.definition.digest, .terms = terms_of(settings, one)};
  if (auto reported = reported_figure(one)) {
    basis.metric = reported->metric;
    basis.unit = std::move(reported->unit);
  }
  return basis;
}

std::size_t History::place_of(std::string_view id) const {
  return static_cast<std::size_t>(std::ranges::find(cases, id, &CaseSeries::id) - cases.begin());
}

History history_of(std::string suite, CommitLine line, const std::vector<const Record*>& records) {
  History history{.suite = std::move(suite), .line = std::move(line), .runs = {}, .bases = {}, .cases = {}};
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t run = 0; run < records.size(); ++run) {
    const Record& record = *records[run];
    history.runs.push_back({.id = 0,
                            .environment = environment_name_of(record),
                            .processor = processor_name_of(record),
                            .started = record.started,
                            .file = {}});
    for (const CaseRecord& one : record.cases) {
      const auto [place, is_new] = places.try_emplace(one.id, history.cases.size());
      if (is_new) history.cases.push_back({.id = one.id, .language = one.language, .points = {}});
      SeriesPoint point = point_of(one);
      const Basis basis = basis_of(record.settings, one);
      const auto known = std::ranges::find(history.bases, basis);
      point.run = static_cast<std::uint32_t>(run);
      point.basis = static_cast<std::uint32_t>(known - history.bases.begin());
      if (known == history.bases.end()) history.bases.push_back(basis);
      history.cases[place->second].points.push_back(point);
    }
  }
  return history;
}

}  // namespace tally
