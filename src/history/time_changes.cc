#include "history/time_changes.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "history/false_discovery.h"

namespace tally {
namespace {

/// What was looked at in a stretch of runs, and what was found.
struct Family {
  std::size_t tests = 0;
  std::vector<TimeChange> found;
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
      family.found.push_back({.series = number, .run = run, .since = series.runs[point.index - 1], .point = point});
    }
  }

  [[nodiscard]] std::vector<TimeChange> discoveries(double rate) const {
    std::vector<TimeChange> discoveries;
    for (const auto& [stretch, family] : families_) {
      std::vector<double> p_values;
      for (const TimeChange& change : family.found) p_values.push_back(change.point.p_value);
      const double limit = discovery_limit(p_values, family.tests, rate);
      std::ranges::copy_if(family.found, std::back_inserter(discoveries),
                           [&](const TimeChange& change) { return change.point.p_value <= limit; });
    }
    return discoveries;
  }

 private:
  std::size_t length_;
  std::map<std::size_t, Family> families_;
};

}  // namespace

std::vector<TimeChange> time_changes(std::span<const TimeSeries> series, const TimeChangeOptions& options) {
  Families families(options.points.window);
  for (std::size_t i = 0; i < series.size(); ++i) {
    families.add(i, series[i], change_points(series[i].seconds, options.points));
  }
  std::vector<TimeChange> changes = families.discoveries(options.false_discovery_rate);
  std::ranges::stable_sort(changes, [](const TimeChange& a, const TimeChange& b) {
    return a.run != b.run ? a.run < b.run : std::abs(a.point.change()) > std::abs(b.point.change());
  });
  return changes;
}

}  // namespace tally
