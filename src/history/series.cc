#include "history/series.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

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

namespace {

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

/// Without figures where the case worked on a device and nothing is known of that.
SeriesPoint point_on_device(const CaseRecord& one) {
  SeriesPoint point{.status = one.status};
  if (const auto kernels = metric_of(one, Metric::kernels)) point.figure = kernels->value;
  if (const auto time = metric_of(one, Metric::device_time)) {
    point.time_s = time->value;
    point.time_low_s = static_cast<float>(time->range.low);
    point.time_high_s = static_cast<float>(time->range.high);
  }
  return point;
}

}  // namespace

std::vector<PointOfCase> points_of(const Settings& settings, const CaseRecord& one) {
  std::vector<PointOfCase> points = {{.point = point_of(one), .basis = basis_of(settings, one)}};
  if (!one.on_device || one.status != CaseStatus::ok) return points;
  // However a case is counted, its kernels are the same.
  const Basis kernels{.definition = one.definition.digest, .terms = {}, .metric = Metric::kernels, .unit = "kernels"};
  points.push_back({.series = SeriesOf::device, .point = point_on_device(one), .basis = kernels});
  return points;
}

std::string name_of(const CaseSeries& series) {
  return series.of == SeriesOf::device ? series.id + " kernels" : series.id;
}

const SeriesPoint* CaseSeries::at(std::size_t run) const {
  const auto found = std::ranges::lower_bound(points, run, {}, &SeriesPoint::run);
  return found == points.end() || found->run != run ? nullptr : &*found;
}

std::size_t History::place_of(std::string_view id) const {
  const auto found = std::ranges::find_if(
      cases, [&](const CaseSeries& one) { return one.of == SeriesOf::case_itself && one.id == id; });
  return static_cast<std::size_t>(found - cases.begin());
}

History history_of(std::string suite, CommitLine line, const std::vector<const Record*>& records) {
  History history{.suite = std::move(suite), .line = std::move(line), .runs = {}, .bases = {}, .cases = {}};
  std::map<std::pair<std::string_view, SeriesOf>, std::size_t> places;
  for (std::size_t run = 0; run < records.size(); ++run) {
    const Record& record = *records[run];
    history.runs.push_back(
        {.environment = environment_name_of(record),
         .parts = {{.id = 0, .processor = processor_name_of(record), .started = record.started, .file = {}}}});
    for (const CaseRecord& one : record.cases) {
      for (auto& [of, point, basis] : points_of(record.settings, one)) {
        const auto [place, is_new] = places.try_emplace({one.id, of}, history.cases.size());
        if (is_new) history.cases.push_back({.id = one.id, .language = one.language, .points = {}, .of = of});
        const auto known = std::ranges::find(history.bases, basis);
        point.run = static_cast<std::uint32_t>(run);
        point.basis = static_cast<std::uint32_t>(known - history.bases.begin());
        if (known == history.bases.end()) history.bases.push_back(std::move(basis));
        history.cases[place->second].points.push_back(point);
      }
    }
  }
  return history;
}

}  // namespace tally
