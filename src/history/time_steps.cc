#include "history/time_steps.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "history/false_discovery.h"

namespace tally {
namespace {

/// What was looked at in a stretch of runs, and what was found.
struct Family {
  std::size_t tests = 0;
  std::vector<TimeStep> found;
};

class Families {
 public:
  explicit Families(std::size_t length) : length_(std::max<std::size_t>(length, 1)) {}

  void add(std::size_t number, const TimeSeries& series, const std::vector<ChangePoint>& points) {
    std::size_t tested = 0;  // Stretches up to here have this series among their tests.
    for (const std::size_t run : series.runs) {
      if (run / length_ < tested) continue;
      ++families_[run / length_].tests;
      tested = run / length_ + 1;
    }
    std::size_t last = tested;  // No stretch has this number.
    for (const ChangePoint& point : points) {
      const std::size_t run = series.runs[point.index];
      Family& family = families_[run / length_];
      if (run / length_ == last) ++family.tests;
      last = run / length_;
      family.found.push_back({.of = number, .run = run, .since = series.runs[point.index - 1], .point = point});
    }
  }

  [[nodiscard]] std::vector<TimeStep> discoveries(double rate) const {
    std::vector<TimeStep> discoveries;
    for (const auto& [stretch, family] : families_) {
      std::vector<double> p_values;
      p_values.reserve(family.found.size());
      for (const TimeStep& step : family.found) p_values.push_back(step.point.p_value);
      const double limit = discovery_limit(p_values, family.tests, rate);
      std::ranges::copy_if(family.found, std::back_inserter(discoveries),
                           [&](const TimeStep& step) { return step.point.p_value <= limit; });
    }
    return discoveries;
  }

 private:
  std::size_t length_;
  std::map<std::size_t, Family> families_;
};

void sort_steps(std::vector<TimeStep>& steps) {
  std::ranges::sort(steps, {}, [](const TimeStep& step) {
    return std::tuple(step.run, -std::abs(step.point.change()), step.of, step.point.index);
  });
}

/// Runs that follow each other in one environment.
struct Epochs {
  explicit Epochs(const History& history) {
    for (std::size_t run = 0; run < history.runs.size(); ++run) {
      if (run == 0 || history.runs[run].environment != history.runs[run - 1].environment) firsts.push_back(run);
      of_run.push_back(firsts.size() - 1);
    }
  }
  std::vector<std::size_t> firsts;  ///< Of each epoch, its first run.
  std::vector<std::size_t> of_run;
};

/// The times of one environment, and which case each series is of.
struct EpochTimes {
  std::vector<TimeSeries> series;
  std::vector<std::size_t> cases;
};

std::vector<EpochTimes> times_of(const History& history, const Epochs& epochs) {
  std::vector<EpochTimes> times(epochs.firsts.size());
  for (std::size_t of = 0; of < history.cases.size(); ++of) {
    struct Open {
      const SeriesPoint* last = nullptr;
      std::size_t series = 0;
    };
    std::map<std::string_view, Open> open;  // by processor
    for (const SeriesPoint& point : history.cases[of].points) {
      if (!point.has_time()) continue;
      const std::size_t at = epochs.of_run[point.run];
      EpochTimes& its = times[at];
      auto& [last, series] = open[history.part_of(point).processor];
      if (last == nullptr || last->basis != point.basis || epochs.of_run[last->run] != at) {
        series = its.series.size();
        its.series.emplace_back();
        its.cases.push_back(of);
      }
      its.series[series].runs.push_back(point.run - epochs.firsts[at]);
      its.series[series].seconds.push_back(point.time_s);
      last = &point;
    }
  }
  return times;
}

}  // namespace

std::vector<TimeStep> time_steps(std::span<const TimeSeries> series, const TimeStepOptions& options) {
  Families families(options.points.window);
  for (std::size_t i = 0; i < series.size(); ++i) {
    families.add(i, series[i], change_points(series[i].seconds, options.points));
  }
  std::vector<TimeStep> steps = families.discoveries(options.false_discovery_rate);
  sort_steps(steps);
  return steps;
}

std::vector<TimeStep> time_steps(const History& history, const TimeStepOptions& options) {
  const Epochs epochs(history);
  const std::vector<EpochTimes> times = times_of(history, epochs);
  std::vector<TimeStep> steps;
  for (std::size_t at = 0; at < times.size(); ++at) {
    for (TimeStep& step : time_steps(times[at].series, options)) {
      step.of = times[at].cases[step.of];
      step.run += epochs.firsts[at];
      step.since += epochs.firsts[at];
      steps.push_back(step);
    }
  }
  sort_steps(steps);
  return steps;
}

}  // namespace tally
